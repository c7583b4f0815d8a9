/// By what a server knows the version of a document that we have.
struct DocumentVersion: Sendable, Equatable {
    var etag: String?
    var lastModified: String?

    init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    init(of response: HTTPResponse) {
        self.init(etag: response.headers["ETag"], lastModified: response.headers["Last-Modified"])
    }

    var isKnown: Bool { etag != nil || lastModified != nil }

    /// Asks for the document only if there is another version of it.
    func addCondition(to headers: inout HTTPHeaders) {
        if let etag { headers["If-None-Match"] = etag }
        if let lastModified { headers["If-Modified-Since"] = lastModified }
    }
}
