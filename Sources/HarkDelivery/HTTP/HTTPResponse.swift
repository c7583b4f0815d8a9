/// What a server answered; any status is a response, 500 as well as 200.
package struct HTTPResponse: Sendable, Equatable {
    package let status: Int
    package let headers: HTTPHeaders
    /// Decompressed.
    package let body: [UInt8]
    /// Where a redirect leads, made absolute.
    let location: String?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], location: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.location = location
    }

    package var isSuccess: Bool { (200..<300).contains(status) }
}
