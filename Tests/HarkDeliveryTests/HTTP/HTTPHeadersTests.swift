import Testing

@testable import HarkDelivery

@Suite struct HTTPHeadersTests {
    @Test("names are compared without case, and the first of several values is told")
    func lookUp() {
        var headers: HTTPHeaders = ["ETag": "1", "Set-Cookie": "a"]
        headers.append("set-cookie", "b")
        #expect(headers["etag"] == "1")
        #expect(headers["SET-COOKIE"] == "a")
        #expect(headers["Etagg"] == nil)
        // Not letters, though a bit apart like letters.
        #expect((["a[": "1"] as HTTPHeaders)["a{"] == nil)
    }

    @Test("setting replaces every value, nil removes them")
    func setting() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers.append("a", "3")
        headers["a"] = "4"
        #expect(headers.fields.map(\.value) == ["2", "4"])
        headers["A"] = nil
        #expect(headers.fields.map(\.name) == ["B"])
    }

    @Test(
        "what would end the line, or is no name, is refused; the value is never repeated",
        arguments: [
            ("X-Key", "secret\r\nX: y"), ("X-Key", "secret\n"), ("X-Key", "secret\0"), ("X-Key", "\u{7f}secret"),
            ("", "secret"), ("X Key", "secret"), ("X-Key:", "secret"), ("X\r\nsecret", "secret"), ("Xé", "secret"),
        ])
    func refused(name: String, value: String) throws {
        let request = HTTPRequest("GET", "http://host/", headers: [name: value])
        let error = try #require(throws: HTTPError.self) { try request.check() }
        #expect(error.kind == .invalidRequest)
        #expect(!error.message.contains("secret"))
    }

    @Test("what can be sent may be sent", arguments: ["", "a\tb", "é", "\"quoted\", 100%"])
    func sendable(value: String) throws {
        _ = try HTTPRequest("GET", "http://host/", headers: ["X-Key": value]).check()
    }

    @Test("methods, limits and socket paths are checked, too")
    func requestParts() throws {
        var requests: [HTTPRequest] = [
            HTTPRequest("", "http://host"), HTTPRequest("GET /x", "http://host"),
            HTTPRequest("HEAD", "http://host", body: []),
        ]
        var request = HTTPRequest("GET", "http://host")
        request.timeoutSeconds = 0
        requests.append(request)
        request = HTTPRequest("GET", "http://host")
        request.connectTimeoutSeconds = .nan
        requests.append(request)
        request = HTTPRequest("GET", "http://host")
        request.unixSocket = "/" + String(repeating: "x", count: 107)
        requests.append(request)
        for request in requests {
            let error = try #require(throws: HTTPError.self) { try request.check() }
            #expect(error.kind == .invalidRequest)
        }
    }
}
