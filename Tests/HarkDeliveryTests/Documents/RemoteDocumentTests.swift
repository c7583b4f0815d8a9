import Foundation
import HarkDelivery
import HarkSystem
import HarkTesting
import HarkWire
import Testing

/// Remote documents from a real server.
@Suite(.timeLimit(.minutes(45))) struct RemoteDocumentTests {
    let server: TestServer
    let folder: TemporaryFolder

    init() throws {
        server = try TestServer.shared
        folder = try TemporaryFolder()
    }

    @Test("a document is fetched, put in force, kept on disk, and asked for by its ETag from then on")
    func fetched() async throws {
        try await withDocument(answers: [["etag": "\"1\"", "body": "{\"a\":1}"]]) { stage in
            await stage.document.start()
            try await stage.settle()
            #expect(stage.accepted == ["{\"a\":1}"])
            #expect(await stage.document.refreshNow() == .unchanged)
            #expect(stage.accepted.count == 1)
            let asked = try await stage.asked()
            #expect(asked.map { $0["if-none-match"] } == [nil, "\"1\""])
            let status = stage.document.status
            #expect(status.isServing)
            #expect(status.lastError == nil)
            #expect(status.lastSuccess != nil)
            let nextDue = try #require(status.nextDue)
            let seconds = (nextDue.milliseconds - SystemClock.realtimeMilliseconds) / 1000
            #expect((3500...3600).contains(seconds))
            #expect(!status.url.contains("secret"))
            #expect(try String(contentsOfFile: stage.copyPath, encoding: .utf8).hasSuffix("\n{\"a\":1}"))
        }
    }

    @Test("at the next start the copy on disk serves, and a 304 confirms it")
    func fromDisk() async throws {
        try await withDocument(answers: [["etag": "\"1\"", "body": "{}"]]) { stage in
            #expect(await stage.document.refreshNow() == .updated)
            let next = try stage.another()
            await next.document.start()
            // Before any answer can have come: no turn of the loop was left to it.
            #expect(next.accepted == ["{}"])
            #expect(next.document.status.isServing)
            #expect(next.document.status.lastSuccess == nil)
            try await next.settle()
            #expect(next.accepted == ["{}"])
            #expect(try await stage.asked().map { $0["if-none-match"] } == [nil, "\"1\""])
        }
    }

    @Test("the copy serves though the server is gone, and one of another URL does not")
    func serverGone() async throws {
        try await withDocument(answers: [["body": "{}"]]) { stage in
            #expect(await stage.document.refreshNow() == .updated)
            let other = try stage.another { $0.url = server.url("/document/else", port: "closed") }
            await other.document.start()
            #expect(other.accepted == [])
            try await other.settle()
            #expect(other.document.status.lastError?.contains("Connection refused") == true)
            #expect(!other.document.status.isServing)

            let offline = try stage.another { $0.timeoutSeconds = 0.01 }
            try await stage.script([["as": "hang/x"]])
            await offline.document.start()
            try await offline.settle()
            #expect(offline.accepted == ["{}"])
            #expect(offline.document.status.isServing)
            #expect(offline.document.status.lastError != nil)
        }
    }

    @Test(
        "what goes wrong leaves the last good document in force and on disk, and the next good one replaces it",
        arguments: [
            ["status": "500", "body": "{\"error\":1}"], ["status": "404"], ["status": "204"], ["as": "hang/d"],
            ["as": "stall/d"], ["as": "reset/hard"], ["as": "reset/soft"], ["as": "garbage"], ["as": "loop"],
            ["as": "announced/50000000"], ["as": "chunked/50000000"], ["as": "bomb/50000000"], ["body": "{\"a\":"],
            ["body": ""], ["body": "not JSON", "etag": "\"2\""],
        ] as [[String: String]])
    func failures(bad: [String: String]) async throws {
        let good = ["etag": "\"1\"", "body": "{\"good\":1}"]
        let answers = [good, bad, ["etag": "\"3\"", "body": "{\"good\":3}"]]
        let isSilent = bad == ["as": "hang/d"] || bad == ["as": "stall/d"]
        try await withDocument(answers: answers, timeoutSeconds: isSilent ? 3 : 60) { stage in
            #expect(await stage.document.refreshNow() == .updated)
            let outcome = await stage.document.refreshNow()
            guard case .failed(let reason) = outcome else {
                Issue.record("\(bad) passed as \(outcome)")
                return
            }
            #expect(stage.document.status.lastError == reason)
            #expect(stage.accepted == ["{\"good\":1}"])
            #expect(stage.document.status.isServing)
            #expect(try String(contentsOfFile: stage.copyPath, encoding: .utf8).hasSuffix("{\"good\":1}"))
            // The first wait after a failure.
            let nextDue = try #require(stage.document.status.nextDue)
            #expect(nextDue.milliseconds - SystemClock.realtimeMilliseconds <= 5000)

            #expect(await stage.document.refreshNow() == .updated)
            #expect(stage.accepted.last == "{\"good\":3}")
            #expect(stage.document.status.lastError == nil)
            // The bad version was never taken for ours.
            #expect(try await stage.asked().map { $0["if-none-match"] } == [nil, "\"1\"", "\"1\""])
        }
    }

    @Test("a redirect is followed")
    func redirect() async throws {
        try await withDocument(answers: [["body": "{}"]]) { stage in
            let elsewhere = try stage.another {
                $0.url = server.url("/redirect?to=\($0.url)")
            }
            #expect(await elsewhere.document.refreshNow() == .updated)
        }
    }

    @Test("a server that knows no versions: the same content is no update")
    func withoutVersions() async throws {
        try await withDocument(answers: [["body": "{}"], ["body": "{}"], ["body": "[]"]]) { stage in
            #expect(await stage.document.refreshNow() == .updated)
            #expect(await stage.document.refreshNow() == .unchanged)
            #expect(await stage.document.refreshNow() == .updated)
            #expect(stage.accepted == ["{}", "[]"])
        }
    }

    @Test("it refreshes by itself, soon after a failure and by the interval after a success")
    func byItself() async throws {
        let answers = [["body": "{}"], ["status": "500"], ["body": "[1]"], ["body": "[2]"]]
        try await withDocument(answers: answers, refreshSeconds: 0.02) { stage in
            await stage.document.start()
            try await eventually("all documents") { stage.accepted == ["{}", "[1]", "[2]"] }
        }
    }

    @Test("a refresh joins the one under way")
    func joining() async throws {
        try await withDocument(answers: [["body": "{}"]]) { stage in
            await stage.document.start()
            let outcomes = await (stage.document.refreshNow(), stage.document.refreshNow())
            #expect(outcomes.0 == .updated || outcomes.0 == .unchanged)
            #expect(stage.accepted == ["{}"])
            let both = [Task { await stage.document.refreshNow() }, Task { await stage.document.refreshNow() }]
            for task in both { #expect(await task.value == .unchanged) }
            let count = try await stage.asked().count
            #expect(count <= 3)
        }
    }

    @Test("a copy that cannot be written costs nothing but the copy, and is written as soon as it can be")
    func noDisk() async throws {
        try await withDocument(answers: [["etag": "\"1\"", "body": "{}"]]) { stage in
            let late = folder.path + "/late"
            let other = try stage.another { $0.copyPath = late + "/copy" }
            #expect(await other.document.refreshNow() == .updated)
            #expect(other.document.status.lastError == nil)
            try FileManager.default.createDirectory(atPath: late, withIntermediateDirectories: false)
            #expect(await other.document.refreshNow() == .unchanged)
            #expect(FileManager.default.fileExists(atPath: late + "/copy"))
            #expect(await other.document.refreshNow() == .unchanged)
            #expect(other.accepted == ["{}"])
            #expect(try await stage.asked().map { $0["if-none-match"] } == [nil, nil, "\"1\""])
        }
    }

    @Test("a damaged copy, or one that is not accepted any more, is fetched anew", arguments: [true, false])
    func damagedCopy(isCut: Bool) async throws {
        try await withDocument(answers: [["etag": "\"1\"", "body": "{}"]]) { stage in
            #expect(await stage.document.refreshNow() == .updated)
            let bytes = try Data(contentsOf: URL(filePath: stage.copyPath))
            // The lengths of "{}" and "{!" agree.
            try (isCut ? bytes.dropLast() : bytes.dropLast() + Data("!".utf8))
                .write(to: URL(filePath: stage.copyPath))
            let next = try stage.another()
            await next.document.start()
            #expect(next.accepted == [])
            try await next.settle()
            #expect(next.accepted == ["{}"])
        }
    }

    @Test("once stopped, nothing is accepted any more")
    func stopped() async throws {
        try await withDocument(answers: [["as": "hang/stopped"], ["body": "{}"]]) { stage in
            await stage.document.start()
            await stage.document.stop()
            #expect(await stage.document.refreshNow() == .failed("it was stopped"))
            #expect(await stage.document.refreshNow() == .failed("it was stopped"))
            #expect(stage.accepted == [])
        }
    }

    @Test("a URL that can never work is refused at once", arguments: ["file:///etc/passwd", "surveys.json", ""])
    func badURL(url: String) async throws {
        try await withDocument(answers: []) { stage in
            let error = try #require(throws: HTTPError.self) { try stage.another { $0.url = url } }
            #expect(error.kind == .invalidURL)
        }
    }

    // MARK: The stage

    /// A document, who asks for it, and what was accepted.
    @DaemonActor
    private final class Stage {
        let name: String
        let server: TestServer
        let loop: EventLoop
        let client: HTTPClient
        let source: RemoteDocument.Source
        var accepted: [String] = []
        private var others: [Stage] = []
        private(set) var document: RemoteDocument! = nil

        struct NotJSON: Error {}

        init(
            _ name: String, _ server: TestServer, _ loop: EventLoop, _ client: HTTPClient,
            _ source: RemoteDocument.Source
        ) throws {
            self.name = name
            self.server = server
            self.loop = loop
            self.client = client
            self.source = source
            document = try RemoteDocument(source, client: client, loop: loop) { [weak self] body in
                do {
                    _ = try JSONSerialization.jsonObject(with: Data(body))
                } catch {
                    throw NotJSON()
                }
                self?.accepted.append(String(decoding: body, as: UTF8.self))
            }
        }

        var copyPath: String { source.copyPath }

        /// The document of a later run.
        func another(_ change: (inout RemoteDocument.Source) -> Void = { _ in }) throws -> Stage {
            var source = source
            change(&source)
            let stage = try Stage(name, server, loop, client, source)
            others.append(stage)
            return stage
        }

        /// Nothing may write to the test's folder any more.
        func end() async {
            for stage in others + [self] { await stage.document.stop() }
        }

        func settle() async throws {
            try await eventually("the fetch is over") { document.status.nextDue != nil }
        }

        func script(_ answers: [[String: String]]) async throws {
            let answers = answers.map { answer -> [String: Any] in
                var members = answer as [String: Any]
                members["status"] = answer["status"].flatMap { Int($0) }
                return members
            }
            let body = try JSONSerialization.data(withJSONObject: answers)
            let request = HTTPRequest("PUT", server.url("/script/\(name)"), body: Array(body))
            try #require(try await client.send(request).status == 200)
        }

        /// The headers of all requests for the document so far.
        func asked() async throws -> [[String: String]] {
            let response = try await client.send(HTTPRequest("GET", server.url("/script/\(name)")))
            return try JSONDecoder().decode([[String: String]].self, from: Data(response.body))
        }
    }

    private func withDocument(
        answers: [[String: String]], refreshSeconds: Double = 3600, timeoutSeconds: Double = 60,
        _ body: @escaping @DaemonActor @Sendable (Stage) async throws -> Void
    ) async throws {
        try await LoopThread.shared.run { [server, folder] loop in
            let name = UUID().uuidString
            let client = HTTPClient(loop: loop)
            defer { client.close() }
            let url = server.url("/document/\(name)?key=secret").replacing("://", with: "://user:secret@")
            var source = RemoteDocument.Source(url, copyPath: folder.path + "/" + name)
            source.refreshSeconds = refreshSeconds
            // Not short by default: the loop may be busy with all the other tests.
            source.timeoutSeconds = timeoutSeconds
            source.maxBytes = 100_000
            let stage = try Stage(name, server, loop, client, source)
            try await stage.script(answers)
            do {
                try await body(stage)
            } catch {
                await stage.end()
                throw error
            }
            await stage.end()
        }
    }
}
