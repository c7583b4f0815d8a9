import HarkDelivery
import HarkSystem
import Testing

@Suite(.timeLimit(.minutes(45))) struct HTTPClientFailureTests {
    let server: TestServer

    init() throws {
        server = try TestServer.shared
    }

    /// The error of a request that must fail; no part of it may be repeated that could be a secret.
    private func failure(
        _ path: String, port: String = "http", authorities: String? = nil,
        change: @escaping @Sendable (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> HTTPError {
        let url = server.url(path + "?key=secret", port: port).replacing("://", with: "://user:secret@")
        return try await withClientReturning(authorities: authorities) { client in
            var request = HTTPRequest("GET", url, headers: ["X-Key": "secret"])
            change(&request)
            let error = try await #require(throws: HTTPError.self) { try await client.send(request) }
            #expect(!error.message.contains("secret"), "\(error)")
            return error
        }
    }

    private func withClientReturning<Value: Sendable>(
        authorities: String?, _ body: @escaping @DaemonActor @Sendable (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let box = Box<Value>()
        try await withClient(authorities: authorities) { box.value = try await body($0) }
        return try #require(await box.value)
    }

    @DaemonActor private final class Box<Value: Sendable> {
        nonisolated init() {}
        var value: Value?
    }

    @Test("a connection that is refused")
    func refused() async throws {
        let error = try await failure("/", port: "closed")
        #expect(error.kind == .couldNotConnect)
        #expect(error.message.contains("127.0.0.1:\(server.port("closed")): Connection refused"))
    }

    @Test("a request that must not come twice does not, though the connection it would have gone by is closed on it")
    func once() async throws {
        for (isOnce, expected) in [(true, 2), (false, 3)] {
            let place = "/once/\(isOnce)-\(UInt64.random(in: 0...UInt64.max))"
            try await withClient { client in
                for _ in 0..<2 {
                    var request = HTTPRequest("POST", server.url(place), body: [1])
                    request.isOnce = isOnce
                    #expect(try await client.send(request).status == 200)
                }
                let script = server.url(place.replacing("once", with: "script"))
                let asked = try await client.send(HTTPRequest("GET", script))
                // Without it, libcurl has sent the second one again.
                #expect(asked.text.split(separator: "{").count - 1 == expected, "\(asked.text)")
            }
        }
    }

    @Test(
        "whether a request went out is told: it did when a server was silent, broke off or took too long",
        arguments: [
            ("/silence/", "http", true), ("/hang/w", "http", true), ("/reset/hard", "http", true),
            ("/garbage", "http", true), ("/", "mute", true), ("/", "closed", false),
        ])
    func wasSent(path: String, port: String, expected: Bool) async throws {
        let error = try await failure(path, port: port) { request in
            request.method = "POST"
            request.body = [1]
            // Enough to go out while all the other tests keep the loop busy.
            request.timeoutSeconds = 5
        }
        #expect(error.wasSent == expected)
        let unknown = try await failure("/") { $0.url = "http://hark.invalid/" }
        #expect(!unknown.wasSent)
        let foreign = try await failure("/hello", port: "elsewhere")
        #expect(!foreign.wasSent)
    }

    @Test("a host that nobody knows")
    func unknownHost() async throws {
        // RFC 6761 keeps .invalid for this: resolvers say no without asking.
        let error = try await failure("/") { $0.url = "http://hark.invalid/" }
        #expect(error.kind == .couldNotResolve)
        #expect(error.message.contains("http://hark.invalid"))
    }

    @Test(
        "a server that does not answer, in the head, in the body or at all",
        arguments: [
            ("/hang/h", "http"), ("/stall/s", "http"), ("/", "mute"),
        ])
    func timeout(path: String, port: String) async throws {
        let start = ContinuousClock.now
        let error = try await failure(path, port: port) { $0.timeoutSeconds = 0.2 }
        #expect(error.kind == .timedOut)
        #expect(ContinuousClock.now - start >= .milliseconds(190))
    }

    @Test("the time for a request includes its redirects")
    func redirectTimeout() async throws {
        let error = try await failure("/redirect") {
            $0.url = $0.url.replacing("?key=secret", with: "?to=/hang/r")
            $0.maxRedirects = 3
            $0.timeoutSeconds = 0.3
        }
        #expect(error.kind == .timedOut)
    }

    @Test("a connection that breaks in the middle", arguments: ["/reset/hard", "/reset/soft", "/silence"])
    func broken(path: String) async throws {
        #expect(try await failure(path).kind == .connectionLost)
    }

    @Test("a server that does not speak HTTP")
    func garbage() async throws {
        #expect(try await failure("/garbage").kind == .badResponse)
    }

    @Test("a body of 50 MB, announced or not", arguments: ["/announced/50000000", "/chunked/50000000"])
    func tooLarge(path: String) async throws {
        let error = try await failure(path) { $0.maxResponseBytes = 100_000 }
        #expect(error.kind == .tooLarge)
        #expect(error.message.contains("100000 bytes"))
    }

    @Test("a body at the limit passes, a byte more does not", arguments: ["/announced/", "/chunked/"])
    func limit(path: String) async throws {
        let url = server.url(path + "70000")
        try await withClient { client in
            var request = HTTPRequest("GET", url)
            request.maxResponseBytes = 70_000
            #expect(try await client.send(request).body.count == 70_000)
            request.maxResponseBytes = 69_999
            let error = try await #require(throws: HTTPError.self) { try await client.send(request) }
            #expect(error.kind == .tooLarge)
        }
    }

    @Test("more headers than a server has reason to send")
    func manyHeaders() async throws {
        let error = try await failure("/headers/500")
        #expect(error.kind == .badResponse && error.message.contains("more than 500 header lines"), "\(error)")
        try await withClient { client in
            let response = try await client.send(HTTPRequest("GET", server.url("/headers/400")))
            #expect(response.headers["X-399"] == "y")
        }
    }

    @Test("headers without end")
    func endlessHeaders() async throws {
        let error = try await failure("/headers")
        #expect([.connectionLost, .badResponse].contains(error.kind))
    }

    @Test("a certificate of an authority that nobody trusts")
    func unknownAuthority() async throws {
        let error = try await failure("/hello", port: "https")
        #expect(error.kind == .tlsFailed)
        #expect(error.message.contains("self-signed"))
    }

    @Test("a certificate for another host")
    func otherHost() async throws {
        let error = try await failure("/hello", port: "elsewhere", authorities: server.certificate("elsewhere"))
        #expect(error.kind == .tlsFailed)
        #expect(error.message.contains("127.0.0.1"))
    }

    @Test("encryption with a server that has none")
    func notEncrypted() async throws {
        let error = try await failure("/hello") { $0.url = $0.url.replacing("http:", with: "https:") }
        #expect(error.kind == .tlsFailed)
    }

    @Test("a URL that is none never reaches the network", arguments: ["file:///etc/passwd", "nonsense"])
    func invalidURL(url: String) async throws {
        #expect(try await failure("/") { $0.url = url }.kind == .invalidURL)
    }
}
