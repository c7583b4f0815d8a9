import Testing

@testable import HarkDelivery

@Suite struct HTTPTargetTests {
    @Test(
        "a URL is taken apart",
        arguments: [
            ("http://example.com", "http", "example.com", 80, nil),
            ("HTTPS://Example.COM/a?b#c", "https", "example.com", 443, nil),
            ("https://u:p@example.com:8443/a", "https", "example.com", 8443, "u:p"),
            ("http://u@x:p@h:1@host:80/", "http", "host", 80, "u@x:p@h:1"),
            ("http://[::1]:8080/x", "http", "[::1]", 8080, nil),
            ("http://host:", "http", "host", 80, nil),
            ("http://host?u=a@b", "http", "host", 80, nil),
            ("http://host#@other", "http", "host", 80, nil),
            // A slash that an accent follows is one character for Swift, and two for everybody else.
            ("http://host/\u{301}@other", "http", "host", 80, nil),
        ] as [(String, String, String, Int, String?)])
    func parts(url: String, scheme: String, host: String, port: Int, credentials: String?) throws {
        let target = try HTTPTarget(url)
        #expect(target.scheme == scheme)
        #expect(target.host == host)
        #expect(target.port == port)
        #expect(target.credentials == credentials)
    }

    @Test(
        "what is shown has neither credentials nor query",
        arguments: [
            ("http://example.com", "http://example.com"),
            ("https://user:secret@example.com:8443/a/b?key=secret#f", "https://example.com:8443/a/b?…"),
            ("https://secret@example.com:443/a", "https://example.com/a"),
        ])
    func shown(url: String, shown: String) throws {
        #expect(try HTTPTarget(url).shown == shown)
    }

    @Test(
        "what cannot be asked is refused, and the refusal repeats nothing of it",
        arguments: [
            "", "example.com", "http:example.com", "http:/secret", "http://", "http:///secret", "http://:80/secret",
            "file:///etc/secret", "ftp://secret", "http://host:0/secret", "http://host:65536/secret",
            "http://host:+80/secret", "http://host:secret", "http://[::1/secret", "http://[::1]secret",
            "http://host\\@secret", "http://host/a b secret", "http://host/\nsecret", "http://host/\u{7f}secret",
        ])
    func refused(url: String) throws {
        let error = try #require(throws: HTTPError.self) { try HTTPTarget(url) }
        #expect(error.kind == .invalidURL)
        #expect(!error.message.contains("secret"))
    }

    @Test(
        "an origin is scheme, host and port",
        arguments: [
            ("http://a/x", "http://A:80/y?z", true), ("http://u:p@a/", "http://a/", true),
            ("http://a", "https://a", false), ("http://a", "http://b", false), ("http://a", "http://a:81", false),
            ("http://a:443", "https://a", false), ("http://[::1]", "http://[::2]", false),
        ])
    func origin(one: String, other: String, isSame: Bool) throws {
        #expect(try HTTPTarget(one).isSameOrigin(as: HTTPTarget(other)) == isSame)
    }
}
