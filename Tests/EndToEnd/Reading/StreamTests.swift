import Foundation
import HarkWire
import Testing

/// E8: live streams, and resuming them.
@Suite(.endToEnd) struct StreamTests {
    private let home: DaemonHome

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"retention":"none"}"#)
    }

    /// The number of a notification: the event's, or its own.
    private static func sequence(_ notice: JSONValue) throws -> UInt64 {
        let params = notice["params"]
        guard let number = (params?["event"]?["seq"] ?? params?["seq"])?.intValue else {
            throw Failure("no number: \(notice)")
        }
        return UInt64(number)
    }

    @Test("a subscriber that resumes over kill -9 and restarts under load gets everything once, in order")
    func resume() throws {
        var seen: [UInt64] = []
        var events: [JSONValue] = []
        for round in 0..<6 {
            let daemon = try home.start()
            let writers = try [
                LoadWriter.Style(app: "a", window: 1), .init(app: "b", window: 50),
                .init(app: "c", window: 5, sessionEvery: 3),
            ].enumerated().map { try LoadWriter("round \(round) writer \($0)", $1, to: daemon) }
            // The stream begins in the middle of the writing, with the records before.
            try waitUntil("the writers are answered") { writers[0].progress > 20 }
            let reader = try daemon.connect()
            try reader.call("event.subscribe", #"{"afterSeq":\#(seen.last ?? 0)}"#)
            for _ in 0..<400 {
                let notice = try reader.notification()
                seen.append(try StreamTests.sequence(notice))
                if let event = notice["params"]?["event"] { events.append(event) }
            }
            try daemon.stop(round % 2 == 0 ? SIGKILL : SIGTERM)
            for writer in writers { writer.join() }
            // The rest of the socket's data counts: only whole lines do.
            while let line = try reader.readLine(), let notice = try? SocketClient.parse(line) {
                guard notice["method"] != nil, notice["method"] != "subscription.closed" else { continue }
                seen.append(try StreamTests.sequence(notice))
                if let event = notice["params"]?["event"] { events.append(event) }
            }
        }
        let daemon = try home.start()
        let reader = try daemon.connect()
        let last = try reader.call("daemon.status")["store"]?["lastSeq"]?.intValue ?? 0
        try reader.call("event.subscribe", #"{"afterSeq":\#(seen.last ?? 0)}"#)
        while (seen.last ?? 0) < UInt64(last) {
            let notice = try reader.notification()
            seen.append(try StreamTests.sequence(notice))
            if let event = notice["params"]?["event"] { events.append(event) }
        }
        // Nothing was cleared, so every number is there.
        #expect(seen == Array(1...UInt64(last)))
        let stored = try daemon.connect().lines()
        #expect(events.count == stored.count)
        #expect(try stored.map { try SocketClient.parse(Array($0.utf8)) } == events)
    }

    @Test("many subscribers with filters of their own each get what they asked for, live and from the store")
    func filters() throws {
        let daemon = try home.start()
        let writer = try daemon.connect()
        func write(_ round: Int) throws {
            for number in 0..<6 {
                try writer.call(
                    "event.record",
                    #"{"name":"n\#(number % 3)","app":"app\#(number % 2)","properties":{"round":\#(round)}}"#)
            }
            try writer.call("session.start", #"{"app":"app1","userId":"ada"}"#)
        }
        try write(0)
        let session = try writer.call("session.current", #"{"app":"app0"}"#)["session"]?["id"]?.text ?? ""
        let filters: [(String, Set<String>)] = [
            ("{}", ["n0", "n1", "n2", "+", "-"]),
            (#"{"include":["events"]}"#, ["n0", "n1", "n2"]),
            (#"{"include":["sessions"]}"#, ["+", "-"]),
            (#"{"name":"n1","include":["events"]}"#, ["n1"]),
            (#"{"app":"app0"}"#, ["n0", "n1", "n2"]),
            (#"{"sessionId":"\#(session)","name":"*2"}"#, ["n2"]),
            (#"{"userId":"ada"}"#, ["n0", "n1", "n2", "+", "-"]),
            (#"{"userId":null,"include":["sessions"]}"#, []),
        ]
        var readers: [(client: SocketClient, kinds: Set<String>)] = []
        for (filter, kinds) in filters {
            let client = try daemon.connect()
            try client.call("event.subscribe", filter)
            readers.append((client, kinds))
        }
        let before = try writer.call("daemon.status")["store"]?["lastSeq"]?.intValue ?? 0
        try write(1)
        let live = try readers.map { try story($0.client) }
        for (number, reader) in readers.enumerated() {
            #expect(Set(live[number].map(\.kind)) == reader.kinds, "\(filters[number].0)")
        }
        // The same stretch, resumed from the store, is the same story.
        for (number, (filter, _)) in filters.enumerated() {
            let client = try daemon.connect()
            let after = filter == "{}" ? "{\"afterSeq\":\(before)}" : filter.dropLast() + ",\"afterSeq\":\(before)}"
            try client.call("event.subscribe", String(after))
            #expect(try story(client) == live[number], "\(filter)")
        }
    }

    private struct Step: Equatable {
        let kind: String
        let sequence: UInt64
    }

    /// The records of a subscriber so far. The reply to a request behind them shows that there are no more.
    private func story(_ client: SocketClient) throws -> [Step] {
        var steps: [Step] = []
        // A subscription catches up before a query of its own connection is answered twice.
        for _ in 0..<3 { try client.call("event.list", #"{"limit":1}"#) }
        while let notice = client.heldNotification() {
            let kind: String =
                switch notice["method"]?.stringValue {
                case "session.started": "+"
                case "session.ended": "-"
                default: notice["params"]?["event"]?["name"]?.stringValue ?? "?"
                }
            steps.append(Step(kind: kind, sequence: try StreamTests.sequence(notice)))
        }
        return steps
    }

    @Test("session.started and session.ended tell the whole session")
    func sessions() throws {
        let daemon = try home.start()
        let reader = try daemon.connect()
        let first = try reader.call("event.subscribe", #"{"include":["sessions"]}"#)
        #expect(first == ["subscription": 1, "afterSeq": 0])
        let writer = try daemon.connect()
        let started = try writer.call("session.start", #"{"userId":"ada","metadata":{"plan":"pro"}}"#)["session"]
        let notice = try reader.notification()
        #expect(notice["method"] == "session.started" && notice["params"]?["subscription"] == 1)
        #expect(notice["params"]?["session"] == started && notice["params"]?["seq"] == 1)
        let ended = try writer.call("session.end")["session"]
        let end = try reader.notification()
        #expect(end["method"] == "session.ended" && end["params"]?["session"] == ended)
        #expect(end["params"]?["session"]?["endedAt"] != .null)
    }

    @Test("two subscriptions of one connection are told apart, and a cancelled one is silent")
    func cancel() throws {
        let daemon = try home.start()
        let reader = try daemon.connect()
        #expect(try reader.call("event.subscribe", #"{"name":"a","include":["events"]}"#)["subscription"] == 1)
        #expect(try reader.call("event.subscribe", #"{"include":["events"]}"#)["subscription"] == 2)
        let writer = try daemon.connect()
        try writer.call("event.record", #"{"name":"a"}"#)
        let both = try [reader.notification(), reader.notification()].map { $0["params"]?["subscription"]?.intValue }
        #expect(Set(both) == [1, 2])
        #expect(try reader.call("subscription.cancel", #"{"subscription":1}"#) == ["cancelled": true])
        #expect(try reader.ask("subscription.cancel", #"{"subscription":1}"#).reason == "notFound")
        try writer.call("event.record", #"{"name":"a"}"#)
        #expect(try reader.notification()["params"]?["subscription"] == 2)
        #expect(try reader.call("subscription.cancel", #"{"subscription":2}"#) == ["cancelled": true])
        try writer.call("event.record", #"{"name":"a"}"#)
        try reader.call("hello")
        #expect(reader.heldNotification() == Optional.none)
        #expect(try writer.call("daemon.status")["clients"]?["subscriptions"] == 0)
    }

    @Test("a slow subscriber is cut off with an error, while writers and other subscribers flow")
    func slowReader() throws {
        try home.configure(#"{"retention":"none","limits":{"queuedBytes":1048576}}"#)
        let daemon = try home.start()
        let slow = try daemon.connect()
        try slow.call("event.subscribe", #"{"include":["events"]}"#)
        let good = try daemon.connect()
        try good.call("event.subscribe", #"{"include":["events"]}"#)
        let writer = try daemon.connect()
        // One that still catches up is waited for.
        try writer.call("event.record", #"{"name":"first"}"#)
        for client in [slow, good] { #expect(try client.notification()["params"]?["event"]?["name"] == "first") }
        let text = String(repeating: "x", count: 20_000)
        let count = 150
        for number in 0..<count {
            try writer.call("event.record", #"{"name":"n\#(number)","properties":{"t":"\#(text)"}}"#)
            #expect(try good.notification()["params"]?["event"]?["name"] == .string("n\(number)"))
        }
        let clients = try writer.call("daemon.status")["clients"]
        #expect(clients?["slowReaders"] == 1 && clients?["subscriptions"] == 1)
        // The output when it reads at last: whole events without a gap, the reason for the end, and the end.
        var numbers = 0
        var notice = try slow.notification()
        while let event = notice["params"]?["event"] {
            #expect(event["name"] == .string("n\(numbers)"))
            numbers += 1
            notice = try slow.notification()
        }
        #expect(numbers > 0 && numbers < count)
        #expect(notice["method"] == "subscription.closed")
        #expect(notice["params"]?["subscription"] == 1 && notice["params"]?["reason"] == "slowReader")
        #expect(try slow.reply().reason == "slowReader")
        #expect(try slow.readLine() == nil)
        // It resumes where it was.
        let again = try daemon.connect()
        let last = try again.call("event.list", #"{"name":"n\#(numbers - 1)"}"#)["events"]?[0]?["seq"]?.intValue ?? 0
        try again.call("event.subscribe", #"{"include":["events"],"afterSeq":\#(last)}"#)
        for number in numbers..<count {
            #expect(try again.notification()["params"]?["event"]?["name"] == .string("n\(number)"))
        }
    }

    @Test("a subscriber that catches up slowly is waited for, not cut off")
    func slowCatchUp() throws {
        let daemon = try home.start()
        let writer = try daemon.connect()
        let text = String(repeating: "x", count: 100_000)
        for number in 0..<200 {
            try writer.call("event.record", #"{"name":"n\#(number)","properties":{"t":"\#(text)"}}"#)
        }
        let before = try daemon.memory
        let reader = try daemon.connect()
        try reader.call("event.subscribe", #"{"include":["events"],"afterSeq":0}"#)
        // 20 MB wait for it, more than the queue may hold; it reads nothing for a while.
        for _ in 0..<20 { try writer.call("event.list", #"{"limit":1}"#) }
        for number in 0..<200 {
            #expect(try reader.notification()["params"]?["event"]?["name"] == .string("n\(number)"))
        }
        #expect(try writer.call("daemon.status")["clients"]?["slowReaders"] == 0)
        #expect(try daemon.memory - before < 40 << 20)
    }
}
