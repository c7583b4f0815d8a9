import Testing

@testable import HarkDelivery

@Suite struct HTTPRedirectTests {
    private func follow(
        _ url: String, _ location: String?, status: Int = 302, method: String = "GET", body: [UInt8]? = nil,
        headers: HTTPHeaders = [:], unixSocket: String? = nil, max: Int = 3, followed: Int = 0
    ) throws(HTTPError) -> HTTPRequest? {
        var request = HTTPRequest(method, url, headers: headers, body: body)
        request.maxRedirects = max
        request.unixSocket = unixSocket
        return try HTTPRedirect.next(
            after: HTTPResponse(status: status, location: location), to: request, followed: followed)
    }

    @Test("only redirects that say where are followed, and only if that is wanted")
    func whether() throws {
        #expect(try follow("http://a/", "http://a/x")?.url == "http://a/x")
        #expect(try follow("http://a/", nil) == nil)
        #expect(try follow("http://a/", "http://a/x", max: 0) == nil)
        for status in [200, 201, 300, 304, 305, 400, 503] {
            #expect(try follow("http://a/", "http://a/x", status: status) == nil)
        }
    }

    @Test("one more than allowed is refused")
    func tooMany() throws {
        #expect(try follow("http://a/", "http://a/x", followed: 2) != nil)
        let error = try #require(throws: HTTPError.self) {
            _ = try follow("http://u:secret@a/secret", "http://a/secret", followed: 3)
        }
        #expect(error.kind == .redirectRefused)
        #expect(!error.message.contains("secret"))
    }

    @Test(
        "what was posted is posted again where the status says so",
        arguments: [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
            (303, "HEAD", "HEAD"), (301, "PUT", "PUT"), (307, "POST", "POST"), (308, "POST", "POST"),
            (301, "HEAD", "HEAD"),
        ])
    func methods(status: Int, method: String, then: String) throws {
        let next = try #require(
            try follow(
                "http://a/", "http://a/x", status: status, method: method, body: [1],
                headers: ["Content-Type": "text/plain", "X-Key": "1"]))
        #expect(next.method == then)
        let isPlain = then != method || status == 303
        #expect((next.body == nil) == isPlain)
        #expect((next.headers["content-type"] == nil) == isPlain)
        #expect(next.headers["x-key"] == "1")
    }

    @Test("another origin sees neither keys nor credentials", arguments: ["http://b/", "http://a:81/", "https://a/"])
    func otherOrigin(location: String) throws {
        let headers: HTTPHeaders = [
            "X-Api-Key": "secret", "Authorization": "secret", "Cookie": "secret", "if-none-match": "\"1\"",
        ]
        let next = try #require(try follow("http://u:secret@a/", location, headers: headers))
        #expect(next.url == location)
        #expect(next.headers == ["if-none-match": "\"1\""])
    }

    @Test("the same origin sees them again")
    func sameOrigin() throws {
        let next = try #require(try follow("http://u:p@a/", "http://a/x", headers: ["X-Api-Key": "k"]))
        #expect(next.url == "http://u:p@a/x")
        #expect(next.headers["X-Api-Key"] == "k")
        #expect(try follow("http://u:p@a/", "http://v:q@a/x")?.url == "http://v:q@a/x")
    }

    @Test(
        "a redirect to a file, another protocol, or away from encryption or a Unix socket is refused",
        arguments: [
            ("http://a/", "file:///etc/passwd", nil), ("http://a/", "ftp://a/", nil), ("http://a/", "nonsense", nil),
            ("https://a/", "http://a/", nil), ("http://a/", "http://b/", "/run/s"),
        ] as [(String, String, String?)])
    func refused(from: String, to: String, unixSocket: String?) throws {
        let error = try #require(throws: HTTPError.self) { _ = try follow(from, to, unixSocket: unixSocket) }
        #expect(error.kind == .redirectRefused)
    }
}
