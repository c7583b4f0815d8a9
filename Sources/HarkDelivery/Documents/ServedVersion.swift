/// The server's identification of a document's version.
struct ServedVersion: Sendable, Equatable {
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

    /// Adds headers that request the document only if it has changed.
    func addCondition(to headers: inout HTTPHeaders) {
        if let etag { headers["If-None-Match"] = etag }
        if let lastModified { headers["If-Modified-Since"] = lastModified }
    }
}
