import Foundation
import Hark
import Testing

/// Rows D6, C1 to C4: counters and executions of the library, against a real daemon.
@Suite(.endToEnd, .timeLimit(.minutes(45))) struct LibraryCounterTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    private func makeRecorder(app: String = "default") -> EventRecorder {
        var options = EventRecorder.Options()
        options.socket = home.socket
        options.app = app
        return EventRecorder(options)
    }

    /// The notifications of executions.
    private struct Heard {
        let stream: AsyncStream<String>
        let tell: AsyncStream<String>.Continuation

        init() { (stream, tell) = AsyncStream.makeStream() }

        func next() async -> String? {
            for await word in stream { return word }
            return nil
        }
    }

    @Test("C1 C2: counters are registered, triggered, set and reset, and every program of the app counts the same ones")
    func counters() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let (recorder, neighbour) = (makeRecorder(), makeRecorder())
        let (tracker, other) = (CounterTracker(recorder), CounterTracker(neighbour))
        #expect(try await tracker.register("opens") == 0)
        #expect(try await tracker.register("taps", initial: 5, scope: .instance) == 5)
        tracker.trigger("opens")
        tracker.trigger("taps")
        tracker.set("opens", to: 40)
        tracker.trigger("opens")
        await recorder.flush()
        // Only the first registration in a run counts.
        #expect(try await other.register("opens", initial: 7) == 41)
        #expect(try await other.values().integer(for: "taps") == 6)
        try await other.enterBackground()
        #expect(try await tracker.values().integer(for: "taps") == 5)
        other.set("taps", to: 9)
        await neighbour.flush()
        try await tracker.reset("taps")
        #expect(try await tracker.values().integer(for: "taps") == 5)
        #expect(try await tracker.values().integer(for: "opens") == 41)
        try await tracker.reset()
        #expect(try await tracker.values().integer(for: "opens") == 0)
        #expect(try await CounterTracker(makeRecorder(app: "kiosk")).values()["opens"] == nil)

        var notices = recorder.notices.makeAsyncIterator()
        tracker.trigger("nobody")
        guard case .refused(let refusal)? = await notices.next() else { throw Failure("no refusal was told") }
        #expect(refusal.reason == "notFound")
    }

    @Test("C3: a value is read as what it is, and as nothing else; long lists of counters are read whole")
    func values() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let tracker = CounterTracker(makeRecorder())
        let all: [String: Value] = ["n": 3, "b": true, "a": [1, "x"], "d": ["k": 1], "s": "text", "f": 2.5, "z": nil]
        for (name, value) in all { try await tracker.register(name, initial: value) }
        for number in 0..<150 { try await tracker.register("more \(number)") }
        let values = try await tracker.values()
        for (name, value) in all {
            #expect(values[name] == value)
            #expect(values.integer(for: name) == (name == "n" ? 3 : nil))
            #expect(values.bool(for: name) == (name == "b" ? true : nil))
            #expect(values.array(for: name) == (name == "a" ? [1, "x"] : nil))
            #expect(values.dictionary(for: name) == (name == "d" ? ["k": 1] : nil))
        }
        #expect(values["nobody"] == nil && values.integer(for: "nobody") == nil)
        #expect((0..<150).allSatisfy { values.integer(for: "more \($0)") == 0 })
    }

    @Test("C4: code runs once when its condition holds, whoever counts; kept alive it runs each time")
    func executions() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let recorder = makeRecorder()
        let (tracker, other) = (CounterTracker(recorder), CounterTracker(makeRecorder()))
        for name in ["opens", "shares", "quiet"] { try await tracker.register(name) }
        let (fan, each) = (Heard(), Heard())
        tracker.addExecution(id: "fan", listeningTo: ["opens", "shares"]) { values in
            values.integer(for: "opens") == 3 && values.integer(for: "shares") == 2
        } perform: { [tell = fan.tell] name, values in
            tell.yield("\(name ?? "none") \(values.integer(for: "opens") ?? -1)")
        }
        tracker.addExecution(id: "each", listeningTo: ["shares"], keepAlive: true, validateImmediately: true) { _ in
            true
        } perform: { [tell = each.tell] name, values in
            tell.yield("\(name ?? "none") \(values.integer(for: "shares") ?? -1)")
        }
        tracker.addExecution(id: "gone", listeningTo: ["shares"]) { _ in
            true
        } perform: { [tell = fan.tell] _, _ in
            tell.yield("removed, and ran all the same")
        }
        #expect(tracker.removeExecution(id: "gone") && !tracker.removeExecution(id: "gone"))
        #expect(tracker.executionIDs == ["each", "fan"])
        #expect(await each.next() == "none 0")
        // From here on it hears of others' changes. Counters without a listener do not matter, nor does a reset.
        other.trigger("quiet")
        for _ in 0..<3 { other.trigger("opens") }
        other.trigger("shares")
        #expect(await each.next() == "shares 1")
        try await other.reset("shares")
        other.set("shares", to: 2)
        #expect(await each.next() == "shares 2")
        #expect(await fan.next() == "shares 3")
        #expect(tracker.executionIDs == ["each"])
        // The counter has its earlier value, and the execution that has run is gone.
        other.set("shares", to: 2)
        #expect(await each.next() == "shares 2")
        tracker.addExecution(id: "fan", listeningTo: ["opens"]) { _ in
            true
        } perform: { [tell = fan.tell] _, _ in
            tell.yield("again")
        }
        tracker.trigger("opens")
        #expect(await fan.next() == "again")
    }

    @Test("C4: to be validated immediately, it runs where it holds already, and knows of no counter that changed")
    func validated() async throws {
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let tracker = CounterTracker(makeRecorder())
        try await tracker.register("opens", initial: 3)
        let heard = Heard()
        for (id, immediately) in [("waits", false), ("now", true)] {
            tracker.addExecution(id: id, listeningTo: ["opens"], validateImmediately: immediately) { values in
                values.integer(for: "opens") ?? 0 >= 3
            } perform: { [tell = heard.tell] name, _ in
                tell.yield("\(id) \(name ?? "none")")
            }
        }
        #expect(await heard.next() == "now none")
        #expect(tracker.executionIDs == ["waits"])
        tracker.trigger("opens")
        #expect(await heard.next() == "waits opens")
    }

    @Test("C4: executions go on over a restart: what was counted meanwhile counts, what it reset does not")
    func restart() async throws {
        var daemon = try home.start()
        let recorder = makeRecorder()
        let tracker = CounterTracker(recorder)
        try await tracker.register("opens")
        try await tracker.register("run", scope: .session)
        tracker.set("run", to: 5)
        await recorder.flush()
        let heard = Heard()
        for name in ["opens", "run"] {
            tracker.addExecution(id: name, listeningTo: [name], keepAlive: true, validateImmediately: true) { _ in
                true
            } perform: { [tell = heard.tell] _, values in
                tell.yield("\(name) \(values.integer(for: name) ?? -1)")
            }
        }
        #expect(Set([await heard.next(), await heard.next()]) == ["opens 0", "run 5"])
        daemon.child.kill()
        // Kept here until it is back.
        tracker.trigger("opens")
        daemon = try home.start()
        defer { daemon.child.kill() }
        #expect(await heard.next() == "opens 1")
        tracker.set("run", to: 8)
        #expect(await heard.next() == "run 8")
    }
}
