import Foundation
import HarkDelivery
import HarkSystem
import HarkTesting
import Testing

@Suite(.timeLimit(.minutes(45))) struct HTTPClientTests {
    let server: TestServer

    init() throws {
        server = try TestServer.shared
    }

    @Test("a response has status, headers and body")
    func simple() async throws {
        try await withClient { client in
            let response = try await client.send(HTTPRequest("GET", server.url("/hello")))
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "text/plain")
            #expect(response.text == "hello")
        }
    }

    @Test("every status is a response", arguments: [201, 204, 301, 304, 404, 429, 500, 503])
    func statuses(status: Int) async throws {
        try await withClient { client in
            let response = try await client.send(HTTPRequest("GET", server.url("/status/\(status)")))
            #expect(response.status == status)
        }
    }

    @Test("method, headers and body arrive as they were given, whatever their bytes")
    func body() async throws {
        try await withClient { client in
            let body = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var request = HTTPRequest(
                "PUT", server.url("/echo?a=b"), headers: ["X-Api-Key": "k", "X-Empty": "", "Content-Type": "x/y"],
                body: body)
            request.isCompressed = true
            request.maxResponseBytes = 4 << 20
            let echo = try TestServer.Echo(try await client.send(request))
            #expect(echo.method == "PUT")
            #expect(echo.path == "/echo?a=b")
            #expect(Array(echo.body) == body)
            #expect(echo.headers["x-api-key"] == "k")
            #expect(echo.headers["x-empty"] == "")
            #expect(echo.headers["content-type"] == "x/y")
            #expect(echo.headers["content-encoding"] == "gzip")
            #expect(echo.headers["content-length"] == "2000000")
            #expect(echo.headers["user-agent"]?.hasPrefix("hark/") == true)
            #expect(echo.headers["expect"] == nil)
        }
    }

    @Test("nothing is made up for a body that is missing or has no type", arguments: [nil, []] as [[UInt8]?])
    func noBody(body: [UInt8]?) async throws {
        try await withClient { client in
            let echo = try TestServer.Echo(
                try await client.send(HTTPRequest("POST", server.url("/echo"), body: body)))
            #expect(echo.method == "POST")
            #expect(echo.body.isEmpty)
            #expect(echo.headers["content-length"] == "0")
            #expect(echo.headers["content-type"] == nil)
        }
    }

    @Test("HEAD and DELETE have no body to wait for")
    func head() async throws {
        try await withClient { client in
            var head = HTTPRequest("HEAD", server.url("/hello"))
            head.maxResponseBytes = 1
            let response = try await client.send(head)
            #expect(response.headers["Content-Length"] == "5")
            #expect(response.body.isEmpty)
            let echo = try TestServer.Echo(try await client.send(HTTPRequest("DELETE", server.url("/echo"))))
            #expect(echo.method == "DELETE")
        }
    }

    @Test("credentials in the URL become basic authentication")
    func credentials() async throws {
        try await withClient { client in
            let url = server.url("/echo").replacing("127.0.0.1", with: "user:pass@127.0.0.1")
            let echo = try TestServer.Echo(try await client.send(HTTPRequest("GET", url)))
            #expect(echo.headers["authorization"] == "Basic " + Data("user:pass".utf8).base64EncodedString())
        }
    }

    @Test("a compressed response is taken apart, and what it grows to counts")
    func compressed() async throws {
        try await withClient { client in
            var request = HTTPRequest("GET", server.url("/bomb/1000"))
            request.maxResponseBytes = 1000
            #expect(try await client.send(request).body == [UInt8](repeating: 0, count: 1000))
            request.url = server.url("/bomb/50000000")
            let error = try await #require(throws: HTTPError.self) { try await client.send(request) }
            #expect(error.kind == .tooLarge)
        }
    }

    @Test("a Unix socket can be asked instead of a host, and redirects on it stay there")
    func unixSocket() async throws {
        try await withClient { client in
            var request = HTTPRequest("GET", "http://localhost/hello")
            request.unixSocket = server.unixSocket
            #expect(try await client.send(request).text == "hello")
            request.url = "http://localhost/redirect?to=/hello"
            request.maxRedirects = 1
            #expect(try await client.send(request).text == "hello")
            request.unixSocket = "/nowhere/socket"
            let error = try await #require(throws: HTTPError.self) { try await client.send(request) }
            #expect(error.kind == .couldNotConnect)
            #expect(error.message.contains("/nowhere/socket"))
        }
    }

    @Test("a certificate of a trusted authority for this host is good")
    func encrypted() async throws {
        try await withClient(authorities: server.certificate()) { client in
            let response = try await client.send(HTTPRequest("GET", server.url("/hello", port: "https")))
            #expect(response.text == "hello")
        }
    }

    @Test("redirects are followed, up to a limit, and the headers do not go to strangers")
    func redirects() async throws {
        try await withClient { client in
            let there = server.url("/echo").replacing("127.0.0.1", with: "localhost")
            var request = HTTPRequest(
                "POST", server.url("/redirect?to=\(there)"), headers: ["X-Key": "secret"], body: [1, 2, 3])
            #expect(try await client.send(request).status == 302)
            request.maxRedirects = 1
            let echo = try TestServer.Echo(try await client.send(request))
            #expect(echo.method == "GET")
            #expect(echo.body.isEmpty)
            #expect(echo.headers["x-key"] == nil)
            request.url = server.url("/redirect?status=307&to=/echo")
            let again = try TestServer.Echo(try await client.send(request))
            #expect(again.method == "POST")
            #expect(Array(again.body) == [1, 2, 3])
            #expect(again.headers["x-key"] == "secret")
        }
    }

    @Test(
        "redirects that lead in a circle, to files or to nowhere are errors",
        arguments: [
            "/loop", "/redirect?to=file:///etc/passwd", "/redirect?to=http://", "/redirect?to=gopher://127.0.0.1/",
        ])
    func badRedirects(path: String) async throws {
        try await withClient { client in
            var request = HTTPRequest("GET", server.url(path))
            request.maxRedirects = 5
            let error = try await #require(throws: HTTPError.self) { try await client.send(request) }
            #expect(error.kind == .redirectRefused)
        }
    }

    @Test("proxy variables are honoured, no_proxy too, and a Unix socket needs none")
    func proxy() async throws {
        let proxied = server.url("")
        let direct = server.url("/hello")
        let unixSocket = server.unixSocket
        await #expect(processExitsWith: .success) {
            [
                proxied = proxied as String, direct = direct as String, unixSocket = unixSocket as String
            ] in
            setenv("http_proxy", proxied, 1)
            setenv("no_proxy", "127.0.0.1", 1)
            try await withClient { client in
                let response = try await client.send(HTTPRequest("GET", "http://hark.invalid/x"))
                #expect(response.text == "by proxy: http://hark.invalid/x")
                #expect(try await client.send(HTTPRequest("GET", direct)).text == "hello")
                var local = HTTPRequest("GET", "http://hark.invalid/hello")
                local.unixSocket = unixSocket
                #expect(try await client.send(local).text == "hello")
            }
        }
    }

    @Test("libcurl is loaded with the first request, not before")
    func loading() async throws {
        let url = server.url("/hello")
        await #expect(processExitsWith: .success) { [url = url as String] in
            func isLoaded() throws -> Bool {
                let maps = try FileDescriptor.open("/proc/self/maps", flags: O_RDONLY).readAll(limit: 1 << 20)
                return String(decoding: maps, as: UTF8.self).contains("/libcurl.so")
            }
            try await withClient { client in
                try #require(try !isLoaded())
                #expect(try await client.send(HTTPRequest("GET", url)).status == 200)
                #expect(try isLoaded())
            }
        }
    }

    @Test("without libcurl the error says what to install")
    func missingLibrary() async throws {
        try await withClient(library: "libcurl-that-is-not-there.so.4") { client in
            for _ in 1...2 {
                let error = try await #require(throws: HTTPError.self) {
                    try await client.send(HTTPRequest("GET", server.url("/hello")))
                }
                #expect(error.kind == .unavailable)
                #expect(error.message.contains("apt install libcurl4"))
            }
        }
    }
}

/// Runs `body` on the loop with a client of its own.
func withClient(
    authorities: String? = nil, library: String? = nil, maxConcurrent: Int? = nil, idleSeconds: Double? = nil,
    _ body: @escaping @DaemonActor @Sendable (HTTPClient) async throws -> Void
) async throws {
    try await LoopThread.shared.run { loop in
        var options = HTTPClient.Options()
        options.authoritiesFile = authorities
        if let library { options.library = library }
        if let maxConcurrent { options.maxConcurrent = maxConcurrent }
        if let idleSeconds { options.idleSeconds = idleSeconds }
        let client = HTTPClient(loop: loop, options: options)
        defer { client.close() }
        try await body(client)
    }
}
