/// The response of a server with any status, such as 200 or 500.
package struct HTTPResponse: Sendable, Equatable {
    package let status: Int
    package let headers: HTTPHeaders
    /// The decompressed body.
    package let body: [UInt8]
    /// The target of a redirect as an absolute URL.
    let location: String?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], location: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.location = location
    }

    package var isSuccess: Bool { (200..<300).contains(status) }
}
