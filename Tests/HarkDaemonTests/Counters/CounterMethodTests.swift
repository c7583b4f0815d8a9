import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Counters over the socket.
@Suite struct CounterMethodTests {
    @Test("C1 C2: counters live and end with the daemon's run as they say, and a reload changes those of the settings")
    func restart() async throws {
        try await DaemonFixture.run(configuration: #"{"counters":{"set":{"initial":1}}}"#) { fixture in
            var client = try fixture.connect()
            for scope in ["instance", "session", "app"] {
                try await client.call("counter.register", #"{"name":"\#(scope)","scope":"\#(scope)"}"#)
                try await client.call("counter.trigger", #"{"name":"\#(scope)"}"#)
            }
            try await client.call("counter.trigger", #"{"name":"set"}"#)
            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await client.values() == ["app": 1, "instance": 1, "session": 0, "set": 2])
            try fixture.configure(#"{"counters":{"set":{"initial":5},"more":{"initial":"x","scope":"session"}}}"#)
            try await client.call("daemon.reload")
            #expect(try await client.values() == ["app": 1, "instance": 1, "session": 0, "set": 2, "more": "x"])
            try fixture.configure(#"{"counters":{"set":{"scope":"forever"}}}"#)
            let refused = try await client.ask("daemon.reload")
            #expect(refused["error"]?["message"]?.stringValue?.contains("$.counters.set.scope") == true)
            try await client.call("counter.reset")
            #expect(try await client.values()["set"] == 5)
        }
    }

    @Test("who watches is told of a reset that comes right after a commit that the store refused")
    func refused() async throws {
        try await DaemonFixture.run { fixture in
            let (client, watcher) = (try fixture.connect(), try fixture.connect())
            try await client.call("session.start")
            try await client.call("counter.register", #"{"name":"c","scope":"instance"}"#)
            try await client.call("counter.trigger", #"{"name":"c"}"#)
            try await watcher.call("counter.subscribe")
            try fixture.refuse("INSERT ON block")
            #expect(try await client.ask("event.record", #"{"name":"lost"}"#)["error"] != nil)
            try fixture.accept()
            try await client.call("session.end")
            try await client.call("counter.trigger", #"{"name":"c"}"#)
            let told = try await watcher.notification()["params"]
            #expect(told?["cause"] == "reset" && told?["value"] == 0)
        }
    }

    @Test("a subscription that is refused with a commit is none")
    func refusedSubscription() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try fixture.refuse("INSERT ON block")
            try client.send(
                #"{"id":"a","method":"event.record","params":{"name":"lost"}}"# + "\n"
                    + #"{"id":"b","method":"counter.subscribe"}"# + "\n")
            for _ in 0..<2 { #expect(try await client.reply()["error"]?["data"]?["reason"] == "storeUnavailable") }
            try await fixture.recover()
            try await client.call("counter.register", #"{"name":"c"}"#)
            let cancelled = try await client.ask("subscription.cancel", #"{"subscription":1}"#)
            #expect(cancelled["error"]?["data"]?["reason"] == "notFound")
            #expect(client.isSilent)
        }
    }

    @Test("C3: a value is told as the type that is asked for, or null; an unknown counter is null")
    func types() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("counter.register", #"{"name":"c"}"#)
            let cases: [(value: String, readable: [String])] = [
                ("3", ["integer", "double", "any"]), ("3.5", ["double", "any"]), ("true", ["bool", "any"]),
                (#""x""#, ["string", "any"]), ("[1]", ["array", "any"]), (#"{"a":1}"#, ["dictionary", "any"]),
                ("null", []),
            ]
            for (value, readable) in cases {
                try await client.call("counter.set", #"{"name":"c","value":\#(value)}"#)
                for type in ["integer", "double", "bool", "string", "array", "dictionary", "any"] {
                    let read = try await client.call("counter.get", #"{"name":"c","type":"\#(type)"}"#)["value"]
                    #expect((read != .null) == readable.contains(type), "\(value) as \(type)")
                }
            }
            #expect(try await client.call("counter.get", #"{"name":"nobody"}"#)["value"] == .null)
            #expect(try await client.ask("counter.get", #"{"name":"c","type":"text"}"#)["error"] != nil)
        }
    }

    @Test("a subscriber knows every value: none is missing and none is told twice, whatever is under way")
    func subscription() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("counter.register", #"{"name":"c"}"#)
            try await client.call("counter.register", #"{"name":"other","scope":"instance"}"#)
            try client.send(
                ["counter.trigger", "counter.trigger", "counter.subscribe", "counter.trigger"].enumerated().map {
                    #"{"id":\#($0),"method":"\#($1)","params":{\#($0 == 2 ? "" : #""name":"c""#)}}"# + "\n"
                }.joined())
            #expect(try await client.reply()["result"]?["value"] == 1)
            #expect(try await client.reply()["result"]?["value"] == 2)
            let snapshot = try await client.reply()["result"]
            #expect(snapshot?["counters"]?[0]?["value"] == 2)
            #expect(snapshot?["counters"]?.arrayValue?.count == 2)
            #expect(try await client.reply()["result"]?["value"] == 3)
            #expect(try await client.change() == ["c", 3, "trigger"])
            // Changes of other apps are not reported; resets are.
            let other = try fixture.connect()
            try await other.call("session.start")
            try await other.call("counter.register", #"{"name":"c","app":"kiosk"}"#)
            try await other.call("counter.trigger", #"{"name":"c","app":"kiosk"}"#)
            try await other.call("counter.set", #"{"name":"other","value":null}"#)
            #expect(try await client.change() == ["other", nil, "set"])
            try await other.call("session.end")
            #expect(try await client.change() == ["other", 0, "reset"])
            try await other.call("counter.register", #"{"name":"new"}"#)
            #expect(try await client.change() == ["new", 0, "register"])
            try await client.call("subscription.cancel", #"{"subscription":1}"#)
            try await other.call("counter.trigger", #"{"name":"c"}"#)
            try await client.call("counter.subscribe", #"{"name":"new"}"#)
            try await other.call("counter.trigger", #"{"name":"c"}"#)
            try await other.call("counter.trigger", #"{"name":"new"}"#)
            #expect(try await client.change() == ["new", 1, "trigger"])
        }
    }

    @Test("counters are listed by name, a page at a time")
    func pages() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for number in 0..<25 { try await client.call("counter.register", #"{"name":"c\#(number)"}"#) }
            var names: [String] = []
            var after = ""
            while true {
                let page = try await client.call("counter.list", #"{"limit":10\#(after)}"#)
                names += (page["counters"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
                guard let next = page["next"]?.stringValue else { break }
                after = #","after":"\#(next)""#
            }
            #expect(names == (0..<25).map { "c\($0)" }.sorted())
        }
    }

    @Test("a list of large counters ends its pages early, and holds them all in the end")
    func largePages() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let text = String(repeating: "x", count: 60_000)
            for number in 0..<40 {
                try await client.call("counter.register", #"{"name":"c\#(number)","initial":"\#(text)"}"#)
            }
            let page = try await client.call("counter.list", #"{"limit":1000}"#)
            let count = page["counters"]?.arrayValue?.count ?? 0
            // Each is reported with its value and its initial value.
            #expect((8..<20).contains(count) && page["next"]?.stringValue != nil)
        }
    }

    @Test("C6: a survey that asks about counters comes with an event, or with the counters alone, and is explained")
    func surveys() async throws {
        let survey = #""title":"T","message":"M","options":["A"]"#
        let surveys = """
            {"surveys":[{"id":"fan",\(survey),"trigger":{"counters":{"opens":{"op":"gte","value":2},"shares":1}}},
            {"id":"buyer",\(survey),"trigger":{"event":{"name":"buy"},"counters":{"opens":{"op":"gte","value":1}}}}]}
            """
        try await DaemonFixture.run(
            configuration: #"{"notify":null,"counters":{"opens":{},"shares":{}}}"#, surveys: surveys
        ) { fixture in
            let client = try fixture.connect()
            func waiting() async throws -> [String] {
                try await client.call("survey.pending")["surveys"]?.arrayValue?
                    .compactMap { $0["surveyId"]?.stringValue } ?? []
            }
            try await client.call("event.record", #"{"name":"buy"}"#)
            #expect(try await waiting() == [])
            try await fixture.restart()
            let again = try fixture.connect()
            try await again.call("counter.trigger", #"{"name":"opens"}"#)
            let explained = try await again.call("survey.explain", #"{"surveyId":"fan"}"#)
            let check = explained["checks"]?.arrayValue?.first { $0["check"] == "counters" }
            #expect(check?["passed"] == false)
            #expect(check?["explanation"] == "asks for opens gte 2 and shares eq 1; opens is 1, shares is 0")
            try await again.call("event.record", #"{"name":"buy"}"#)
            try await again.call("counter.trigger", #"{"name":"shares"}"#)
            let before = try await again.call("survey.pending")["surveys"]?.arrayValue?.map { $0["surveyId"] }
            #expect(before == ["buyer"])
            try await again.call("counter.trigger", #"{"name":"opens"}"#)
            let after = try await again.call("survey.pending")["surveys"]?.arrayValue?.map { $0["surveyId"] }
            #expect(after == ["buyer", "fan"])
            let listed = try await again.call("survey.list")["surveys"]
            #expect(listed?[0]?["event"] == .null && listed?[0]?["counters"]?["all"]?.arrayValue?.count == 2)
            #expect(listed?[1]?["event"] == "buy")
        }
    }
}

extension FixtureClient {
    func values(app: String = "default") async throws -> [String: JSONValue] {
        let counters = try await call("counter.list", #"{"app":"\#(app)"}"#)["counters"]?.arrayValue ?? []
        return Dictionary(
            uniqueKeysWithValues: counters.map { ($0["name"]?.stringValue ?? "", $0["value"] ?? .null) })
    }

    /// The name, value and cause of the next reported change.
    func change() async throws -> [JSONValue] {
        let notification = try await notification()
        #expect(notification["method"] == "counter.changed")
        return ["name", "value", "cause"].map { notification["params"]?[$0] ?? "nothing" }
    }
}
