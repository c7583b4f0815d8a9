import HarkCore

/// What is asked of a server, and how far the answer may go.
package struct HTTPRequest: Sendable {
    package var method: String
    /// http or https; a name and password before the host are sent as basic authentication.
    package var url: String
    package var headers: HTTPHeaders
    package var body: [UInt8]?
    /// The body is compressed with gzip already; the server is told so.
    package var isCompressed = false
    /// From the start of the request to the end of the response, redirects included; not the time it waits its turn.
    package var timeoutSeconds = 30.0
    package var connectTimeoutSeconds = 10.0
    /// The longest body that is taken, counted after decompression.
    package var maxResponseBytes = 1 << 20
    /// How many redirects are followed. With none, the redirect itself is the response.
    package var maxRedirects = 0
    /// It must not reach the server twice: it gets a connection of its own. On one that was kept, libcurl sends a request
    /// again by itself when the server closes it without a word, whether the server has acted on it or not.
    package var isOnce = false
    /// Connect to this Unix socket instead of the URL's host; no proxy is used.
    package var unixSocket: String?

    package init(_ method: String = "GET", _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The body as the method wants it: a POST of nothing says that its length is 0.
    var sentBody: [UInt8]? { body ?? (["POST", "PUT", "PATCH"].contains(method) ? [] : nil) }

    /// Whom it goes to, for messages.
    func place(_ target: HTTPTarget) -> String { unixSocket.map { "the Unix socket \($0)" } ?? target.origin }

    /// Refuses what must not reach the wire; returns the URL taken apart.
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
