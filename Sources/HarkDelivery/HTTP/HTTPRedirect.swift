/// Decides how to follow a redirect. libcurl could follow by itself, but would send all headers, including keys, to any
/// host.
enum HTTPRedirect {
    /// The headers that may be sent to another origin.
    private static let harmless = [
        "Accept", "Accept-Language", "Content-Encoding", "Content-Type", "If-Modified-Since", "If-None-Match",
        "User-Agent",
    ]

    /// The next request, or nil if `response` is the final one.
    ///
    /// - Parameter followed: How many redirects led to this response.
    static func next(
        after response: HTTPResponse, to request: HTTPRequest, followed: Int
    ) throws(HTTPError) -> HTTPRequest? {
        guard request.maxRedirects > 0, [301, 302, 303, 307, 308].contains(response.status),
            let location = response.location
        else { return nil }
        let from = try HTTPTarget(request.url)
        guard followed < request.maxRedirects else {
            throw refused("\(from.origin) redirects more than \(request.maxRedirects) times; it may be a loop")
        }
        let to = try target(location, from: from)
        var next = request
        next.url = location
        if response.status == 303 || (response.status <= 302 && request.method == "POST") { makePlain(&next) }
        if to.isSameOrigin(as: from) {
            if to.credentials == nil, let credentials = from.credentials {
                next.url = "\(to.scheme)://\(credentials)@\(location.dropFirst(to.scheme.count + 3))"
            }
        } else {
            guard request.unixSocket == nil else {
                throw refused("the server behind a Unix socket redirects to \(to.origin)")
            }
            next.headers = next.headers.limited(to: harmless)
        }
        return next
    }

    private static func target(_ location: String, from: HTTPTarget) throws(HTTPError) -> HTTPTarget {
        let to: HTTPTarget
        do throws(HTTPError) {
            to = try HTTPTarget(location)
        } catch {
            throw refused("\(from.origin) redirects to what is no http or https URL")
        }
        guard from.scheme == "http" || to.scheme == "https" else {
            throw refused("\(from.origin) redirects to \(to.origin), which is not encrypted")
        }
        return to
    }

    /// Turns the request into a GET, as browsers and curl do for 301 and 302 too.
    private static func makePlain(_ request: inout HTTPRequest) {
        if request.method != "HEAD" { request.method = "GET" }
        request.body = nil
        request.isCompressed = false
        request.headers["Content-Type"] = nil
        request.headers["Content-Encoding"] = nil
    }

    private static func refused(_ reason: String) -> HTTPError {
        HTTPError(.redirectRefused, "\(reason); configure the address where it should end")
    }
}
