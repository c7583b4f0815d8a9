import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// A machine's records arrive at the hub.
@Suite(.timeLimit(.minutes(45))) struct FleetDeliveryTests {
    private static let surveys = """
        {"surveys":[{"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}}]}
        """
    private static let forms = """
        {"forms":[{"id":"f","title":"F","questions":[{"id":"q","type":"text","question":"?"}]}]}
        """

    /// Some of everything that there is.
    @DaemonActor
    private static func live(_ fixture: DaemonFixture) async throws {
        let client = try fixture.connect()
        try await client.call(
            "session.start", #"{"userId":"größe","metadata":{"plan":"pro","n":1.0,"big":9007199254740993}}"#)
        try await client.call(
            "event.record", #"{"name":"tap","properties":{"n":1,"x":2.0,"t":"ä\u2028\"\\\u0001","o":true,"z":""}}"#)
        try await client.call("event.record", #"{"name":"a","timestamp":"2001-02-03T04:05:06.007Z"}"#)
        try await client.call("log.write", #"{"message":"dear ü","level":"error","app":"till"}"#)
        try await client.call("log.write", #"{"message":"quiet","level":"info"}"#)
        let shown = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue
        try await client.call("survey.answer", #"{"presentationId":"\#(try #require(shown))","option":"Yes"}"#)
        try await client.call("form.start", #"{"formId":"f"}"#)
        try await client.call("form.answer", #"{"formId":"f","questionId":"q","answer":"secret"}"#)
        try await client.call("session.end")
        try await client.call("event.record", #"{"name":"implicit","app":"other"}"#)
        try await client.call("event.clear", #"{"userId":"nobody"}"#)
        try await client.call("event.record", #"{"name":"last"}"#)
    }

    private static func everything(fleet: String = "", where isWanted: @escaping @Sendable (Record) -> Bool)
        async throws
    {
        let kiosk = FleetStage.Kiosk(fleet: fleet, surveys: surveys, forms: forms)
        try await FleetStage.run([kiosk]) { stage in
            try await live(stage.machine)
            try await stage.settle()
            try stage.compare(where: isWanted)
        }
    }

    @Test(
        "events, sessions, logs and answers come as they are, in their order; answers to forms stay",
        arguments: [true, false])
    func all(isMosquitto: Bool) async throws {
        let kiosk = FleetStage.Kiosk(surveys: Self.surveys, forms: Self.forms)
        let start: @DaemonActor @Sendable (EventLoop) async throws -> Broker = { loop in
            try await isMosquitto ? Broker.start(on: loop) : Broker.start(.nats, on: loop, configuration: { _ in "" })
        }
        try await FleetStage.run([kiosk], start: start) { stage in
            try await Self.live(stage.machine)
            try await stage.settle()
            try stage.compare()
            let own = Set(try stage.machine.storedRecords().map(\.kind))
            #expect(own == [.event, .sessionStarted, .sessionEnded, .log, .form, .presentation, .clear])
            #expect(try stage.hub.storedRecords().allSatisfy { $0.kind != .form })
            guard getuid() == 0 else { return }
            let results = try await stage.hub.connect().call("survey.results", #"{"surveyId":"a"}"#)
            #expect(results["answered"] == 1 && results["shown"] == 1)
        }
    }

    @Test("answers to forms are sent where that is named")
    func forms() async throws {
        try await Self.everything(fleet: #","kinds":["log","event","survey","session","form"]"#) { $0.kind != .profile }
        try await Self.everything(fleet: #","kinds":["form"]"#) { $0.kind == .form || $0.kind == .clear }
    }

    @Test("what is not wanted is not sent, by kind, name, condition and level")
    func filters() async throws {
        try await Self.everything(fleet: #","kinds":["log"]"#) { $0.kind == .log || $0.kind == .clear }
        try await Self.everything(fleet: #","names":["t*"]"#) {
            FleetStage.isUsual($0) && ($0.kind != .event || $0.name == "tap")
        }
        try await Self.everything(fleet: #","where":"x = 2""#) {
            FleetStage.isUsual($0) && ($0.kind != .event || $0.name == "tap")
        }
        try await Self.everything(fleet: #","level":"warning""#) {
            FleetStage.isUsual($0) && ($0.kind != .log || $0.name == "error")
        }
    }

    @Test("many records, of two machines at once, come in order; their numbers are their machine's")
    func many() async throws {
        try await FleetStage.run([FleetStage.Kiosk(), FleetStage.Kiosk(name: "kiosk-2", fleet: #","batchBytes":4096"#)])
        { stage in
            let clients = try stage.machines.map { try $0.connect() }
            for number in 1...1_500 {
                for client in clients {
                    try client.send(
                        #"{"id":\#(number),"method":"event.record","params":{"name":"e","properties":{"n":\#(number)}}}"#
                            + "\n")
                }
                for client in clients { _ = try await client.reply() }
            }
            try await stage.settle()
            try stage.compare(as: "kiosk-1")
            try stage.compare(stage.machines[1], as: "kiosk-2")
        }
    }

    @Test("a hub that was away for a day gets all: nothing is dropped for its age, nor by a clock that jumps")
    func away() async throws {
        try await FleetStage.run { stage in
            try await stage.machine.record("before", 3)
            try await stage.settle()
            try await stage.hub.restart {
                try await eventually("the machine knows") { try stage.machine.member().state != .ready }
                try await stage.machine.record("away", 20)
                let client = try stage.machine.connect()
                for number in 1...600 { try await client.call("log.write", #"{"message":"\#(number)"}"#) }
                for _ in 1...24 {
                    stage.machine.clock.advance(seconds: 3_600)
                    try stage.machine.outlet("fleet").gate.onOpen()
                    try await stage.machine.record("hour")
                }
                stage.machine.clock.jump(days: 4_000)
                try await stage.machine.record("ahead")
                stage.machine.clock.jump(days: -8_000)
                try await stage.machine.record("back")
                #expect(try stage.machine.outlet("fleet").pending > 600)
                #expect(
                    try await stage.machine.fleetStatus()["problem"]?.stringValue?.contains("no hub is there") == true)
            }
            try await stage.serves()
            try await stage.settle()
            try stage.compare()
            #expect(try stage.machine.outlet("fleet").dropped.isEmpty)
            // On a busy machine the hub may be asked for its position once more.
            try await eventually("no problem is left") { try await stage.machine.fleetStatus()["problem"] == .null }
        }
    }

    @Test("a hub that never answers costs no record, however often it is tried")
    func unanswered() async throws {
        try await FleetStage.run { stage in
            // Its store takes nothing for a while: it says hello, and acknowledges nothing.
            try await stage.machine.record("first")
            try await stage.settle()
            try stage.hub.refuse("INSERT ON block")
            try await stage.machine.record("held", 5)
            try await eventually("it is told") {
                let problem = try await stage.machine.fleetStatus()["problem"]?.stringValue ?? ""
                return problem.contains("does not acknowledge") && problem.contains("hark/shop/up/0/kiosk-1")
            }
            #expect(try stage.hub.storedRecords().count == 2)
            try await stage.hub.recover()
            try await stage.settle()
            try stage.compare()
            #expect(try stage.machine.outlet("fleet").dropped.isEmpty)
            try await eventually("no problem is left") { try await stage.machine.fleetStatus()["problem"] == .null }
        }
    }

    @Test("delivery.status and delivery.flush know the fleet as any destination")
    func status() async throws {
        try await FleetStage.run { stage in
            try await stage.machine.record("one", 4)
            try await stage.settle()
            let client = try stage.machine.connect()
            let newest = stage.machine.daemon.ledger.committedSequence
            var status = try await client.call("delivery.status", #"{"destination":"fleet"}"#)["destinations"]?[0]
            #expect(status?["name"] == "fleet" && status?["kind"] == "fleet")
            #expect(status?["cursor"] == .int(Int64(newest)) && status?["pending"] == 0)
            #expect(status?["delivered"] == .int(Int64(newest)) && status?["lastError"] == .null)
            #expect(status?["state"] == "idle")
            try await stage.broker.kill()
            try await eventually("the machine knows") { try stage.machine.member().state == .connecting }
            try await stage.machine.record("two", 4)
            status = try await client.call("delivery.flush", #"{"destination":"fleet"}"#)["destinations"]?[0]
            #expect(status?["pending"] == 4 && status?["lastError"]?.stringValue?.contains("mqtt://") == true)
            let own = try await stage.machine.fleetStatus()
            #expect(own["pending"] == 4 && own["cursor"] == .int(Int64(newest)) && own["state"] == "connecting")
            try await stage.broker.start()
            try await stage.serves()
            try await stage.settle()
            try stage.compare()
            #expect(try await stage.machine.fleetStatus()["acknowledgedAt"]?.stringValue != nil)
        }
    }

    @Test(
        "a record that no broker takes is a dead letter and holds up nothing; tried again behind others it is still one"
    )
    func tooLong() async throws {
        let limits = #","limits":{"lineBytes":8388608,"lineBytesPerUser":268435456}"#
        try await FleetStage.run([FleetStage.Kiosk(settings: limits)], hubSettings: limits) { stage in
            try await stage.machine.record("before", 3)
            var random = SplitMix64(state: 1)
            var text = ""
            while text.utf8.count < 2_000_000 { text += String(random.next(), radix: 36) }
            let long = text
            let ledger = stage.machine.daemon.ledger
            let scope = Scope(uid: getuid())
            let need = try ledger.need(toRecord: "long", in: scope)
            try await ledger.decide(needing: need) { engine, changes, now throws(WireError) in
                try engine.record(
                    "long", properties: Properties([("t", .string(long))]), in: scope,
                    source: Source(uid: getuid(), pid: 1), now: now, into: &changes)
            }.stored()
            try await stage.machine.record("after", 3)
            try await stage.settle()
            try stage.compare { FleetStage.isUsual($0) && $0.name != "long" }
            let client = try stage.machine.connect()
            let letters = try await client.call("delivery.deadletters", #"{"destination":"fleet"}"#)["deadLetters"]
            #expect(letters?.arrayValue?.count == 1 && letters?[0]?["cause"] == "tooLarge")
            #expect(letters?[0]?["reason"]?.stringValue?.contains("longer than brokers take") == true)
            #expect(try await client.call("delivery.replay", #"{"destination":"fleet"}"#)["replayed"] == 1)
            try await client.wait(for: "delivery.deadletters", #"{"destination":"fleet"}"#) {
                $0["deadLetters"]?[0]?["reason"]?.stringValue?.contains("in order") == true
            }
            try await stage.machine.record("end")
            try await stage.settle()
            try stage.compare { FleetStage.isUsual($0) && $0.name != "long" }
        }
    }

    @Test("a record is too long as well where the hub would not unpack it, however short it is on the way")
    func unpacked() throws {
        func records(_ text: String) -> [Record] {
            let session = SessionIdentity(
                row: 1, id: Identifier(high: 1, low: 1), scope: Scope(uid: 1), userId: nil,
                startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false)
            return [
                Record(
                    sequence: 1, id: Identifier(high: 1, low: 2), at: Timestamp(milliseconds: 0), kind: .event,
                    session: session, name: "x", source: Source(uid: 1, pid: 1),
                    properties: Properties([("t", .string(text))]))
            ]
        }
        let encoder = FleetEncoder(machine: "m", group: nil, log: Identifier(high: 1, low: 3), mostBytes: 100_000)
        // Six bytes each as JSON.
        let text = String(repeating: "\u{1}", count: FleetBatch.mostBytes / 6)
        #expect(throws: FleetEncoder.TooLong.self) { try encoder.batches(of: records(text), after: nil, pending: nil) }
        let batches = try encoder.batches(of: records(String(text.dropLast(200))), after: nil, pending: nil)
        var decoder = FleetDecoder()
        #expect(decoder.read(batches[0].payload)?.records.count == 1)
    }
}
