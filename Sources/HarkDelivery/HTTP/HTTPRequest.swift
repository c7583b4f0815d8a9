import HarkCore

/// A request to a server, with the limits of the response.
package struct HTTPRequest: Sendable {
    package var method: String
    /// An http or https URL; a name and password before the host are sent as basic authentication.
    package var url: String
    package var headers: HTTPHeaders
    package var body: [UInt8]?
    /// Whether the body is compressed with gzip already; a header then says so.
    package var isCompressed = false
    /// The time from the start of the request to the end of the response, including redirects but not the queue.
    package var timeoutSeconds = 30.0
    package var connectTimeoutSeconds = 10.0
    /// The longest accepted body, after decompression.
    package var maxResponseBytes = 1 << 20
    /// The maximum number of redirects. If it is 0, the redirect itself is the response.
    package var maxRedirects = 0
    /// Whether the server must not get it twice: it uses a new connection. On a kept connection, libcurl repeats a
    /// request if the server closes it without a response, whether the server has acted on it or not.
    package var isOnce = false
    /// The Unix socket to connect to instead of the URL's host; no proxy is used.
    package var unixSocket: String?

    package init(_ method: String = "GET", _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The body for the method: a POST without a body has the length 0.
    var sentBody: [UInt8]? { body ?? (["POST", "PUT", "PATCH"].contains(method) ? [] : nil) }

    /// The server's name for messages.
    func place(_ target: HTTPTarget) -> String { unixSocket.map { "the Unix socket \($0)" } ?? target.origin }

    /// Refuses invalid or unsafe requests; returns the parsed URL.
    func check() throws(HTTPError) -> HTTPTarget {
        let target = try HTTPTarget(url)
        guard ServerHeader.isToken(method) else {
            throw HTTPError(.invalidRequest, "the method must be a word such as GET or POST")
        }
        for field in headers.fields where ServerHeader.fault(name: field.name, value: field.value) != nil {
            throw HTTPError(
                .invalidRequest,
                "the header '\(ServerHeader.isToken(field.name) ? field.name : "?")' cannot be sent: "
                    + "names are words, values are one line")
        }
        guard method != "HEAD" || body == nil else {
            throw HTTPError(.invalidRequest, "a HEAD request has no body")
        }
        guard timeoutSeconds > 0, connectTimeoutSeconds > 0, maxResponseBytes >= 0, maxRedirects >= 0 else {
            throw HTTPError(.invalidRequest, "timeouts must be more than 0 seconds, and limits 0 or more")
        }
        if let unixSocket, unixSocket.isEmpty || unixSocket.utf8.count > 107 || unixSocket.utf8.contains(0) {
            throw HTTPError(.invalidRequest, "the path of a Unix socket has 1 to 107 bytes")
        }
        return target
    }
}
