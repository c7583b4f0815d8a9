import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkDaemon

/// The data of each showing other than its answers, by a clock that the test moves.
@Suite struct ShowingTimesTests {
    private static let surveys = """
        {"surveys":[
        {"id":"long","title":"t","message":"m","oncePerSession":false,"trigger":{"event":{"name":"go"}},
        "questions":[{"id":"a","type":"single","question":"?","options":["x","y"]},
        {"id":"b","type":"text","question":"?","required":false},
        {"id":"c","type":"single","question":"?","options":["x","y"]}]},
        {"id":"short","title":"t","message":"m","options":["Yes","No"],"trigger":{"event":{"name":"ask"}}}]}
        """

    @DaemonActor
    private static func times(_ client: FixtureClient, _ id: JSONValue) async throws -> JSONValue {
        let all = try await client.call("survey.history")["presentations"]?.arrayValue ?? []
        return all.first { $0["presentationId"] == id }?["times"] ?? .null
    }

    @DaemonActor
    private static func answer(_ client: FixtureClient, _ id: JSONValue, _ rest: String) async throws {
        try await client.call("survey.answer", #"{"presentationId":\#(id),\#(rest)}"#)
    }

    @Test("each question has the time it was before the person, the machine awake, and how often its answer changed")
    func questions() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { daemon in
            let (client, clock) = (try daemon.connect(), daemon.clock)
            try await client.call("event.record", #"{"name":"go"}"#)
            let planned = clock.now
            clock.advance(seconds: 100)
            let opened = clock.now
            let id =
                try await client.call("survey.present", #"{"surface":"window"}"#)["survey"]?["presentationId"] ?? .null
            clock.advance(seconds: 3)
            let first = clock.now
            try await Self.answer(client, id, #""answers":{"a":"x"},"partial":true"#)
            clock.advance(seconds: 2)
            // Back to the first, which is changed after the machine has slept.
            try await Self.answer(client, id, #""answers":{},"partial":true,"shown":"a""#)
            clock.advance(seconds: 4)
            clock.sleep(seconds: 1_000)
            try await Self.answer(client, id, #""answers":{"a":"y"},"partial":true,"shown":"b""#)
            clock.advance(seconds: 5)
            try await Self.answer(client, id, #""answers":{"b":"text"},"partial":true"#)
            clock.advance(seconds: 6)
            let answered = clock.now
            try await Self.answer(client, id, #""answers":{"c":"x"}"#)
            clock.advance(seconds: 50)
            let times = try await Self.times(client, id)
            #expect(times["plannedAt"]?.stringValue == planned.description)
            #expect(times["openedAt"]?.stringValue == opened.description)
            #expect(times["firstAnswerAt"]?.stringValue == first.description)
            #expect(times["answeredAt"]?.stringValue == answered.description)
            #expect(times["notifiedAt"] == nil)
            #expect(times["surface"] == "window" && times["zone"] == "Europe/Berlin" && times["utcOffsetMinutes"] == 60)
            #expect(times["seconds"]?.doubleValue == 20 && times["asleepSeconds"]?.doubleValue == 1_000)
            let items = times["items"]
            // The second was before the person from the first answer until it went back, as it is the next that comes.
            #expect(items?["a"]?["seconds"]?.doubleValue == 7 && items?["a"]?["changes"] == 1, "\(times)")
            #expect(items?["a"]?["firstAt"]?.stringValue == first.description)
            #expect(items?["b"]?["changes"] == 0 && items?["c"]?["changes"] == 0)
            let rest = [items?["b"]?["seconds"], items?["c"]?["seconds"]].map { $0?.doubleValue ?? 0 }
            #expect(rest.reduce(0, +) == 13, "\(times)")
            // It is all there after a restart.
            try await daemon.restart()
            #expect(try await Self.times(try daemon.connect(), id) == times)
        }
    }

    @Test("what is taken back and put off is measured in its parts, and planned once")
    func parts() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { daemon in
            let (client, clock) = (try daemon.connect(), daemon.clock)
            try await client.call("event.record", #"{"name":"ask"}"#)
            let planned = clock.now
            let shown = try await client.call("survey.present", #"{"surface":"terminal"}"#)["survey"]
            let id = shown?["presentationId"] ?? .null
            clock.advance(seconds: 8)
            try await client.call("survey.release", #"{"presentationId":\#(id)}"#)
            clock.advance(seconds: 60)
            try await client.call("survey.present", #"{"presentationId":\#(id),"surface":"window"}"#)
            clock.advance(seconds: 4)
            try await client.call("survey.snooze", #"{"presentationId":\#(id),"seconds":30}"#)
            #expect(try await Self.times(client, id)["seconds"]?.doubleValue == 12)
            #expect(try await Self.times(client, id)["plannedAt"]?.stringValue == planned.description)
            try await client.call("event.record", #"{"name":"go"}"#)
            let other = try await client.call("survey.pending")["surveys"]?.arrayValue?.first { $0["state"] == "ready" }
            let later = other?["presentationId"] ?? .null
            let plannedLater = clock.now
            try await client.call("survey.present", #"{"presentationId":\#(later),"surface":"window"}"#)
            clock.advance(seconds: 12)
            try await client.call("survey.release", #"{"presentationId":\#(later)}"#)
            // A daemon that ends in order stores how long it was shown until then.
            try await client.call("survey.present", #"{"presentationId":\#(later),"surface":"window"}"#)
            clock.advance(seconds: 500)
            try await daemon.restart()
            let next = try daemon.connect()
            try await next.call("survey.present", #"{"presentationId":\#(later),"surface":"window"}"#)
            clock.advance(seconds: 2)
            try await next.call("survey.dismiss", #"{"presentationId":\#(later)}"#)
            let times = try await Self.times(next, later)
            #expect(times["openedAt"]?.stringValue == plannedLater.description)
            #expect(times["answeredAt"] == nil && times["firstAnswerAt"] == nil)
            #expect(times["seconds"]?.doubleValue == 514, "\(times)")
            #expect(times["items"]?["a"]?["seconds"]?.doubleValue == 514, "\(times)")
        }
    }

    @Test("a script's answer and a notification's have no time of reading; what was ignored leaves its row")
    func unseen() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { daemon in
            let (client, clock) = (try daemon.connect(), daemon.clock)
            try await client.call("event.record", #"{"name":"ask"}"#)
            let ready = try await client.call("survey.pending")["surveys"]?[0]?["presentationId"] ?? .null
            clock.advance(seconds: 10)
            let notified = clock.now
            for _ in 0..<2 {
                try await client.call("survey.notified", #"{"presentationId":\#(ready)}"#)
                clock.advance(seconds: 10)
            }
            var times = try await Self.times(client, ready)
            #expect(times["notifiedAt"]?.stringValue == notified.description && times["openedAt"] == nil, "\(times)")
            #expect(times["surface"] == "notification")
            try await Self.answer(client, ready, #""option":"Yes","surface":"notification""#)
            times = try await Self.times(client, ready)
            #expect(times["openedAt"] == nil && times["seconds"] == nil && times["answeredAt"] != nil, "\(times)")
            #expect(times["surface"] == "notification")
            let refusal = try await client.ask("survey.notified", #"{"presentationId":\#(ready)}"#)
            #expect(refusal["error"]?["data"]?["reason"] == "alreadyClosed", "\(refusal)")
            try await client.call("event.record", #"{"name":"go"}"#)
            let long = try await client.call("survey.pending")["surveys"]?[0]?["presentationId"] ?? .null
            try await Self.answer(client, long, #""answers":{"a":"x","c":"y"}"#)
            times = try await Self.times(client, long)
            #expect(times["surface"] == "script" && times["openedAt"] == nil && times["seconds"] == nil, "\(times)")
            #expect(times["items"]?["a"]?["changes"] == 0)
        }
    }

    @Test("a notification that is told of late does not move what is open in a window")
    func late() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { daemon in
            let client = try daemon.connect()
            try await client.call("event.record", #"{"name":"ask"}"#)
            let shown = try await client.call("survey.present", #"{"surface":"window"}"#)["survey"]
            let id = shown?["presentationId"] ?? .null
            try await client.call("survey.notified", #"{"presentationId":\#(id)}"#)
            let times = try await Self.times(client, id)
            #expect(times["surface"] == "window" && times["notifiedAt"] != nil, "\(times)")
        }
    }

    @Test("a survey whose questions change while it is open keeps no more of them than it can be read back with")
    func many() {
        var times = ShowingTimes()
        for number in 0..<1_000 {
            var answers = Answers()
            answers["q\(number)"] = .number(ExactNumber(integerLiteral: Int32(number)))
            times.note(answers, after: Answers(), at: TestClock.start)
        }
        #expect(ShowingTimes(times.properties) == times && !times.items.isEmpty)
    }

    @Test("a notify hook that shows something is told as notified, one that cannot is not")
    func hook() async throws {
        for (hook, isShown) in [("true", true), ("exit 1", false)] {
            let configuration = #"{"notify":{"command":["sh","-c","\#(hook)"]}}"#
            try await DaemonFixture.run(configuration: configuration, surveys: Self.surveys) { daemon in
                let client = try daemon.connect()
                try await client.call("event.record", #"{"name":"ask"}"#)
                try await eventually("the hook has run") {
                    let status = try await client.call("survey.list")
                    let all = try await client.call("survey.history")["presentations"]
                    return isShown
                        ? all?[0]?["times"]?["notifiedAt"] != nil
                        : status["notifyProblem"] != .null && status["notifyProblem"] != nil
                }
                let times = try await client.call("survey.history")["presentations"]?[0]?["times"]
                #expect((times?["notifiedAt"] != nil) == isShown, "\(times ?? .null)")
            }
        }
    }
}
