import Foundation
import Hark
import Synchronization
import Testing

/// Row D6: the library against a real daemon.
@Suite(.endToEnd, .timeLimit(.minutes(45))) struct LibraryTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    private func makeRecorder(app: String = "default", bufferBytes: Int = 1 << 20) -> EventRecorder {
        var options = EventRecorder.Options()
        options.socket = home.socket
        options.app = app
        options.bufferBytes = bufferBytes
        return EventRecorder(options)
    }

    @Test("D6: sessions begin and end, and what is recorded in them is read back")
    func sessions() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let recorder = makeRecorder()
        #expect(try await recorder.currentSession() == nil)
        let first = try await recorder.startSession(userID: "ada", metadata: ["plan": "pro", "seats": 3])
        #expect(first.userID == "ada" && first.metadata == ["plan": "pro", "seats": 3] && first.endedAt == nil)
        recorder.record("button_tap", properties: ["screen": "Home", "ratio": 0.5, "first": true, "n": 7])
        let recorded = try await recorder.recordAndWait("checkout")
        #expect(recorded.sessionID == first.id)
        let events = try await recorder.eventsInCurrentSession()
        #expect(events.map(\.name) == ["button_tap", "checkout"])
        #expect(events[0].properties == ["screen": "Home", "ratio": 0.5, "first": true, "n": 7])
        #expect(events[1].id == recorded.id && events[1].userID == "ada")

        let second = try await recorder.startSession(userID: "bob")
        #expect(try await recorder.eventsInCurrentSession().isEmpty)
        #expect(try await recorder.events(forSessionID: first.id) == events)
        #expect(try await recorder.listAllSessions().map(\.id) == [first.id, second.id])
        #expect(try await recorder.listSessions(forUserID: "ada").map(\.id) == [first.id])
        #expect(try await recorder.listSessions(forUserID: "ada").first?.endedAt != nil)
        #expect(try await recorder.endSession()?.id == second.id)
        #expect(try await recorder.currentSession() == nil)
        #expect(try await recorder.allEvents().count == 2)
        try await recorder.clear(.user("ada"))
        #expect(try await recorder.allEvents().isEmpty)
        try await recorder.clear()
        #expect(try await recorder.listAllSessions().isEmpty)
    }

    @Test("D6: long lists are read page after page")
    func pages() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let recorder = makeRecorder()
        for number in 0..<2_500 { recorder.record("tick", properties: ["n": .integer(Int64(number))]) }
        await recorder.flush()
        #expect(try await recorder.allEvents().map { $0.properties["n"]?.integer } == Array(0..<2_500))
    }

    @Test("D6: flush waits until the daemon has answered, not only until all was sent")
    func flush() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let recorder = makeRecorder()
        try await recorder.recordAndWait("before")
        daemon.child.signal(SIGSTOP)
        recorder.record("slow")
        try waitUntil("it is on its way") { try home.bytesWaiting() > 0 }
        let flushed = Mutex(false)
        let flush = Task {
            await recorder.flush()
            flushed.withLock { $0 = true }
        }
        // One that does not wait would be over by then.
        pass(seconds: 0.1)
        #expect(!flushed.withLock { $0 })
        daemon.child.signal(SIGCONT)
        await flush.value
        #expect(try await recorder.allEvents().map(\.name) == ["before", "slow"])
    }

    @Test("D6: apps keep apart")
    func apps() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let (one, other) = (makeRecorder(app: "one"), makeRecorder(app: "other"))
        try await one.startSession(userID: "ada")
        try await other.recordAndWait("alone")
        #expect(try await one.eventsInCurrentSession().isEmpty)
        #expect(try await other.eventsInCurrentSession().map(\.name) == ["alone"])
    }

    @Test("D6: a refusal is an error with the daemon's word, or a notice where nobody waits")
    func refusals() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let recorder = makeRecorder()
        var notices = recorder.notices.makeAsyncIterator()
        let error = await #expect(throws: HarkError.self) {
            try await recorder.recordAndWait("nested", properties: ["list": [1, 2]])
        }
        #expect(error?.code == .refused && error?.reason == "invalidParams")
        #expect(error?.path == "$.params.properties.list")
        recorder.record("")
        #expect(await notices.next() == .connected)
        guard case .refused(let refusal)? = await notices.next() else { throw Failure("no refusal was told") }
        #expect(refusal.reason == "invalidParams")
        let unconfigured = await #expect(throws: HarkError.self) { try await recorder.logAsync("hello") }
        #expect(unconfigured?.code == .notConfigured)
        recorder.log("kept", level: .error, userID: "ada", metadata: ["n": 1])
        await recorder.flush()
        #expect(try await recorder.allEvents().isEmpty)
    }

    @Test("D6: what is recorded while the daemon is away comes later, in order; who waits is told at once")
    func away() async throws {
        let recorder = makeRecorder()
        var notices = recorder.notices.makeAsyncIterator()
        for number in 0..<500 { recorder.record("away", properties: ["n": .integer(Int64(number))]) }
        let error = await #expect(throws: HarkError.self) { try await recorder.allEvents() }
        #expect(error?.code == .notRunning)
        #expect(await notices.next() == .disconnected)
        #expect(await recorder.remoteConfig().raw.isEmpty)

        let daemon = try home.start()
        defer { daemon.child.kill() }
        await recorder.flush()
        #expect(await notices.next() == .connected)
        #expect(try await recorder.allEvents().map { $0.properties["n"]?.integer } == Array(0..<500))
    }

    @Test("E11: what was on its way when the daemon was killed is sent again, in order, and recorded once")
    func sentAgain() async throws {
        let daemon = try home.start()
        let recorder = makeRecorder()
        try await recorder.recordAndWait("before")
        var notices = recorder.notices.makeAsyncIterator()
        // It takes requests, and answers none.
        daemon.child.signal(SIGSTOP)
        for number in 0..<5 { recorder.record("again", properties: ["n": .integer(Int64(number))]) }
        recorder.log("again")
        let long = String(repeating: "x", count: 30_000)
        let waiting = Task { try await recorder.recordAndWait("again", properties: ["text": .string(long)]) }
        try waitUntil("the last of them is on its way") { try home.bytesWaiting() > 30_000 }
        let before = try home.bytesWaiting()
        let asking = Task { try await recorder.currentSession() }
        try waitUntil("so is the question") { try home.bytesWaiting() > before }
        daemon.child.kill()
        // A read fails with an error.
        let error = await #expect(throws: HarkError.self) { try await asking.value }
        #expect(error?.code == .disconnected || error?.code == .notRunning)
        #expect(await notices.next() == .disconnected)
        recorder.record("after")
        let next = try home.start()
        defer { next.child.kill() }
        let recorded = try await waiting.value
        await recorder.flush()
        let events = try await recorder.allEvents()
        #expect(events.map(\.name) == ["before"] + Array(repeating: "again", count: 6) + ["after"])
        #expect(events[6].id == recorded.id && events[6].seq == recorded.seq)
        #expect(await notices.next() == .connected)
    }

    @Test("E11: while the daemon is killed again and again, each event is recorded once and in order, at its own time")
    func killedAgainAndAgain() async throws {
        var daemon = try home.start()
        let recorder = makeRecorder(bufferBytes: 8 << 20)
        let start = try await recorder.recordAndWait("n", properties: ["n": 0])
        let count = 20_000
        let sender = Task {
            for number in 1..<count {
                recorder.record("n", properties: ["n": .integer(Int64(number))])
                // Some are waited for, so that the rest is sent in between.
                if number.isMultiple(of: 500) { try await Self.recordPatiently("waited", recorder) }
            }
        }
        for round in 1...6 {
            // Killed in the middle of it, wherever that is.
            try waitUntil("more comes in") {
                let newest = try home.hark("events", "--limit", "1", "--json").lines.first
                let seq = newest?.firstMatch(of: /"seq":(\d+)/).flatMap { UInt64($0.1) } ?? 0
                return seq > start.seq + UInt64(round * count / 10)
            }
            daemon.child.kill()
            daemon = try home.start()
        }
        defer { daemon.child.kill() }
        try await sender.value
        await recorder.flush()
        let events = try await recorder.allEvents()
        let numbers = events.compactMap { $0.properties["n"]?.integer }
        #expect(numbers == Array(0..<count))
        let waited = events.filter { $0.name == "waited" }
        #expect(waited.count == (count - 1) / 500)
    }

    /// Records an event and waits for it, also for a daemon that is away: a waiting caller is told at once.
    private static func recordPatiently(_ name: String, _ recorder: EventRecorder) async throws {
        while true {
            do throws(HarkError) {
                try await recorder.recordAndWait(name)
                return
            } catch {
                guard error.code == .notRunning else { throw error }
                await recorder.flush()
            }
        }
    }

    @Test("E11: an event keeps the time it is given, and the time at which the daemon was away")
    func ownTime() async throws {
        let recorder = makeRecorder()
        recorder.record("given", timestamp: "2001-02-03T04:05:06.789Z")
        recorder.record("away")
        let daemon = try home.start()
        defer { daemon.child.kill() }
        try await recorder.recordAndWait("then")
        let events = try await recorder.allEvents()
        #expect(events.map(\.name) == ["given", "away", "then"])
        #expect(events[0].timestamp == "2001-02-03T04:05:06.789Z")
        #expect(events[1].timestamp < events[2].timestamp)
    }

    @Test("D6: memory is bounded while the daemon is away, and what is dropped is told")
    func bounded() async throws {
        let recorder = makeRecorder(bufferBytes: 10_000)
        let notices = recorder.notices
        for number in 0..<1_000 { recorder.record("away", properties: ["n": .integer(Int64(number))]) }
        let daemon = try home.start()
        defer { daemon.child.kill() }
        await recorder.flush()
        let kept = try await recorder.allEvents().compactMap { $0.properties["n"]?.integer }
        #expect(kept == Array(0..<kept.count))
        #expect((50..<1_000).contains(kept.count))
        var dropped = 0
        for await notice in notices {
            if case .dropped(let count) = notice { dropped += count }
            if kept.count + dropped >= 1_000 { break }
        }
        #expect(kept.count + dropped == 1_000)
    }

    @Test("D6: a first record that is larger than the whole buffer is told as dropped, not passed over in silence")
    func tooLargeForTheBuffer() async throws {
        let recorder = makeRecorder(bufferBytes: 1_000)
        let notices = recorder.notices
        recorder.record("large", properties: ["text": .string(String(repeating: "x", count: 2_000))])
        for await notice in notices {
            guard case .dropped(let count) = notice else { continue }
            #expect(count == 1)
            break
        }
    }

    @Test("D6: what is dropped is told while a daemon is there that takes nothing")
    func stalled() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let recorder = makeRecorder(bufferBytes: 10_000)
        try await recorder.recordAndWait("before")
        let notices = recorder.notices
        let told = Mutex(0)
        let listener = Task {
            for await notice in notices { if case .dropped(let count) = notice { told.withLock { $0 += count } } }
        }
        defer { listener.cancel() }
        daemon.child.signal(SIGSTOP)
        // More than the socket, the link and its buffer hold together.
        let long = String(repeating: "x", count: 1_000)
        for _ in 0..<5_000 { recorder.record("away", properties: ["text": .string(long)]) }
        try waitUntilItRests("the full socket", every: 0.5) { try home.bytesWaiting() }
        recorder.record("away", properties: ["text": .string(long)])
        try waitUntil("it is told") { told.withLock { $0 } > 0 }
        // Drops are reported within half a second.
        try waitUntilItRests("what is told", every: 1) { told.withLock { $0 } }
        let dropped = told.withLock { $0 }
        daemon.child.signal(SIGCONT)
        await recorder.flush()
        #expect(try await recorder.allEvents().count + dropped == 5_002)
    }

    @Test("D6: a stream goes on over restarts of the daemon, nothing lost or doubled")
    func stream() async throws {
        var daemon = try home.start()
        let recorder = makeRecorder()
        try await recorder.recordAndWait("before")
        let stream = recorder.eventsStream(afterSeq: 0)
        let reader = Task {
            var found: [Event] = []
            for await event in stream {
                found.append(event)
                if event.name == "last" { break }
            }
            return found
        }
        for round in 0..<3 {
            for number in 0..<200 { recorder.record("r\(round)", properties: ["n": .integer(Int64(number))]) }
            await recorder.flush()
            daemon.child.signal(round == 1 ? SIGKILL : SIGTERM)
            _ = try daemon.child.wait()
            daemon = try home.start()
        }
        defer { daemon.child.kill() }
        try await recorder.recordAndWait("last")
        let found = await reader.value
        #expect(found == (try await recorder.allEvents()))
        #expect(found.count == 602)
    }

    @Test("D6: a stream that began with now goes on from there, even if it was cut off before the first event")
    func cutOff() async throws {
        // Plays a daemon that tells where the stream begins, and goes away.
        try home.files.write(
            """
            read -r line; echo "$line" >> \(home.files.path("requests"))
            echo '{"jsonrpc":"2.0","id":1,"result":{"subscription":1,"afterSeq":41}}'
            """, to: "daemon.sh")
        let daemon = try Child(["socat", "UNIX-LISTEN:\(home.socket),fork", "EXEC:sh \(home.files.path("daemon.sh"))"])
        defer { daemon.kill() }
        let stream = makeRecorder().eventsStream()
        let reader = Task { for await _ in stream {} }
        defer { reader.cancel() }
        var requests: [Substring] = []
        try waitUntil("it has come back") {
            requests = ((try? home.files.text("requests")) ?? "").split(separator: "\n")
            return requests.count > 1
        }
        #expect(!requests[0].contains("afterSeq") && requests[1].contains(#""afterSeq":41"#))
    }

    @Test("D6: a stream that is cancelled ends")
    func cancelled() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let stream = makeRecorder().eventsStream()
        let reader = Task { for await _ in stream {} }
        try waitUntil("it is read") { try home.hark("status", "--json").output.contains(#""subscriptions":1"#) }
        reader.cancel()
        await reader.value
    }

    @Test("D6: a program presents surveys and answers them")
    func surveys() async throws {
        try home.files.write(
            """
            {"surveys":[{"id":"rating","title":"Quick question","message":"How was it?","options":["Great","Poor"],
            "trigger":{"event":{"name":"checkout"}},"oncePerSession":false}]}
            """, to: "config/surveys.json")
        try home.configure(#"{"notify":null}"#)
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let recorder = makeRecorder()
        try await recorder.startSession(userID: "ada")
        recorder.record("checkout")
        for await survey in recorder.surveys() {
            #expect(survey.surveyID == "rating" && survey.message == "How was it?" && survey.userID == "ada")
            #expect(survey.questions.first?.options.map(\.label) == ["Great", "Poor"])
            let error = await #expect(throws: HarkError.self) { try await survey.answer(option: "Middling") }
            #expect(error?.reason == "invalidParams")
            try await survey.answer(option: "Great")
            break
        }
        let response = try await recorder.eventsInCurrentSession().first { $0.name == "survey_response" }
        #expect(response?.properties["option"] == "Great")
    }
}
