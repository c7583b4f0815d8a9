import Foundation
import Hark
import HarkWire
import Testing

/// Counters that follow the run of their app, with real connections and processes (row C1).
@Suite(.endToEnd) struct CounterRunTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    private func value(_ name: String, _ client: SocketClient) throws -> JSONValue? {
        try client.call("counter.get", #"{"name":"\#(name)"}"#)["value"]
    }

    @Test("C1: with the last connection that has registered it, a counter goes back, and others are told")
    func connections() throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        let watcher = try daemon.connect()
        let registration = #"{"name":"taps","initial":5,"scope":"session","run":"connection"}"#
        var apps: [SocketClient] = []
        for place in 1...2 {
            let app = try daemon.connect()
            let reply = try app.call("counter.register", registration)
            #expect(reply["registered"]?.boolValue == (place == 1))
            #expect(reply["counter"]?["heldBy"]?.intValue == Int64(place))
            try app.call("counter.trigger", #"{"name":"taps"}"#)
            apps.append(app)
        }
        try watcher.call("counter.subscribe", #"{"name":"taps"}"#)
        apps.removeFirst()
        try waitUntil("one is gone") {
            try watcher.call("counter.list")["counters"]?.arrayValue?.first?["heldBy"]?.intValue == 1
        }
        #expect(try value("taps", watcher) == 7)
        apps.removeFirst()
        try waitUntil("the run is over") { try value("taps", watcher) == 5 }
        #expect(try watcher.call("counter.register", registration)["registered"]?.boolValue == true)
    }

    @Test("C1: with the process a counter follows it goes back, which a restart of the daemon does not change")
    func processes() throws {
        let daemon = try home.start()
        let (app, other) = (try Child(["sleep", "600"]), try Child(["sleep", "600"]))
        for (name, child) in [("tries", app), ("others", other)] {
            #expect(
                try home.hark("counter", "register", name, "--process", "\(child.id)").output.contains("session"))
            try home.hark("counter", "trigger", name)
        }
        #expect(try home.hark("counter", "get", "tries").output == "1\n")
        daemon.kill()
        // It ends while nobody looks.
        other.kill()
        let next = try home.start()
        defer { next.kill() }
        let client = try next.connect()
        #expect(try value("tries", client) == 1)
        try waitUntil("the one that ended meanwhile is noticed") { try value("others", client) == 0 }
        app.kill()
        try waitUntil("the run is over") { try value("tries", client) == 0 }
        let refused = try home.hark("counter", "register", "none", "--process", "\(app.id)")
        #expect(refused.ending == .exited(66) && refused.errors.contains("there is no process \(app.id)"))
        #expect(try home.hark("counter", "register", "none", "--process", "x").ending == .exited(64))
    }

    @Test("what cannot be is refused, and a user's counters follow 64 processes at most")
    func bounds() throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        let client = try daemon.connect()
        for params in [
            #"{"name":"c","run":"connection"}"#, #"{"name":"c","scope":"session","run":"daemon","pid":1}"#,
            #"{"name":"c","scope":"session","run":"process","pid":0}"#, #"{"name":"c","scope":"session","run":"x"}"#,
        ] {
            #expect(try client.ask("counter.register", params).reason == "invalidParams", "\(params)")
        }
        let children = try (0..<65).map { _ in try Child(["sleep", "600"]) }
        for (place, child) in children.enumerated() {
            let params = #"{"name":"c\#(place)","scope":"session","run":"process","pid":\#(child.id)}"#
            let reply = try client.ask("counter.register", params)
            #expect(reply.reason == (place < 64 ? nil : "tooLarge"), "\(place)")
        }
        children[0].kill()
        try waitUntil("there is room") {
            let params = #"{"name":"last","scope":"session","run":"process","pid":\#(children[64].id)}"#
            return try client.ask("counter.register", params).reason == nil
        }
    }

    @Test("D6: a program's own run, in the library")
    func library() async throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        var options = EventRecorder.Options()
        options.socket = home.socket
        let recorder = EventRecorder(options)
        let tracker = CounterTracker(recorder)
        #expect(try await tracker.register("mine", scope: .session, run: .program) == 0)
        tracker.trigger("mine")
        await recorder.flush()
        let list = try daemon.connect().call("counter.list")["counters"]?.arrayValue
        #expect(list?.first?["heldBy"] == 1 && list?.first?["value"] == 1)
        let error = await #expect(throws: HarkError.self) { try await tracker.register("app", run: .program) }
        #expect(error?.reason == "invalidParams")
        let (stream, tell) = AsyncStream<String>.makeStream()
        tracker.addExecution(id: "x", listeningTo: ["mine", "other"], keepAlive: true) { name, _ in
            name == "other"
        } perform: { name, _ in
            tell.yield(name ?? "none")
        }
        _ = try await tracker.register("other")
        tracker.trigger("mine")
        tracker.trigger("other")
        for await name in stream {
            #expect(name == "other")
            break
        }
    }
}
