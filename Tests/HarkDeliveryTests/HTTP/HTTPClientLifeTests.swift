import HarkDelivery
import HarkSystem
import HarkTesting
import Testing

/// Connections, many requests at a time, and requests that are given up.
@Suite(.timeLimit(.minutes(45))) struct HTTPClientLifeTests {
    let server: TestServer

    init() throws {
        server = try TestServer.shared
    }

    @Test("one connection serves many requests")
    func keepAlive() async throws {
        try await withClient { client in
            var connections: Set<String?> = []
            for path in ["/hello", "/echo", "/status/500", "/status/304", "/hello"] {
                connections.insert(
                    try await client.send(HTTPRequest("GET", server.url(path))).headers["X-Connection"])
            }
            #expect(connections.count == 1)
            #expect(connections.first != .some(nil))
        }
    }

    @Test("a while after the last request the connections go, and come again with the next")
    func idle() async throws {
        try await withClient(idleSeconds: 0.02) { client in
            let first = try await connection(of: client)
            try await withClient { other in try await waitUntil("/alive/\(first)", says: "no", other) }
            let second = try await connection(of: client)
            #expect(first != second)
        }
    }

    @Test("a client that is dropped takes its connections along")
    func dropped() async throws {
        let number = try await LoopThread.shared.run { loop in try await connection(of: HTTPClient(loop: loop)) }
        try await withClient { other in try await waitUntil("/alive/\(number)", says: "no", other) }
    }

    @Test("hundreds of requests at a time, but never more under way than allowed")
    func parallel() async throws {
        try await withClient(maxConcurrent: 8) { client in
            let url = server.url("/slow/parallel")
            let tasks = (0..<300).map { _ in Task { try await client.send(HTTPRequest("GET", url)).status } }
            for task in tasks {
                let status = try await task.value
                #expect(status == 200)
            }
            let peak = try #require(Int(try await client.send(HTTPRequest("GET", server.url("/peak/parallel"))).text))
            #expect((2...8).contains(peak))
        }
    }

    @Test("a cancelled request ends at once, its connection too, and another takes its place")
    func cancellation() async throws {
        try await withClient(maxConcurrent: 1) { client in
            let hanging = Task { try await client.send(HTTPRequest("GET", server.url("/hang/cancelled"))) }
            let waiting = Task { try await client.send(HTTPRequest("GET", server.url("/hello"))) }
            let doomed = Task { try await client.send(HTTPRequest("GET", server.url("/hang/never"))) }
            try await withClient { other in
                try await waitUntil("/begun/cancelled", says: "1", other)
                doomed.cancel()
                #expect(await doomed.result.kind == .aborted)
                hanging.cancel()
                #expect(await hanging.result.kind == .aborted)
                #expect(try await waiting.value.text == "hello")
                try await waitUntil("/gone/cancelled", says: "yes", other)
                #expect(try await other.send(HTTPRequest("GET", server.url("/begun/never"))).text == "0")
            }
        }
    }

    @Test("when the network has changed, the request under way ends, and what waits for its turn is made")
    func interruption() async throws {
        try await withClient(maxConcurrent: 1) { client in
            let hanging = Task { try await client.send(HTTPRequest("GET", server.url("/hang/interrupted"))) }
            let waiting = Task { try await client.send(HTTPRequest("GET", server.url("/hello"))) }
            try await withClient { other in try await waitUntil("/begun/interrupted", says: "1", other) }
            client.interrupt()
            #expect(await hanging.result.kind == .connectionLost)
            #expect(try await waiting.value.text == "hello")
        }
    }

    @Test("a task that was cancelled before makes no request")
    func cancelledBefore() async throws {
        try await withClient { client in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.send(HTTPRequest("GET", server.url("/hang/before")))
            }
            #expect(await task.result.kind == .aborted)
            let begun = try await client.send(HTTPRequest("GET", server.url("/begun/before")))
            #expect(begun.text == "0")
        }
    }

    @Test("closing ends every request, under way or waiting, and refuses later ones")
    func closing() async throws {
        try await withClient(maxConcurrent: 2) { client in
            let tasks = (0..<4).map { _ in
                Task { try await client.send(HTTPRequest("GET", server.url("/hang/closed"))) }
            }
            try await withClient { other in try await waitUntil("/begun/closed", says: "2", other) }
            client.close()
            for task in tasks { #expect(await task.result.kind == .aborted) }
            let late = await Task { try await client.send(HTTPRequest("GET", server.url("/hello"))) }.result
            #expect(late.kind == .aborted)
            client.close()
        }
    }

    @DaemonActor
    private func connection(of client: HTTPClient) async throws -> String {
        let response = try await client.send(HTTPRequest("GET", server.url("/hello")))
        return try #require(response.headers["X-Connection"])
    }

    @DaemonActor
    private func waitUntil(_ path: String, says text: String, _ client: HTTPClient) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while try await client.send(HTTPRequest("GET", server.url(path))).text != text {
            try #require(ContinuousClock.now < deadline, "\(path) says \(text)")
        }
    }
}

extension Result<HTTPResponse, any Error> {
    /// What kind of error it is, if it is one.
    fileprivate var kind: HTTPError.Kind? {
        guard case .failure(let error) = self else { return nil }
        return (error as? HTTPError)?.kind
    }
}
