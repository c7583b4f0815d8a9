import Foundation
import HarkTesting
import HarkWire
import Testing

/// The records that wait while a server is down: how many, and in which lanes.
@Suite(.endToEnd) struct BufferTests {
    private let scene: DeliveryScene
    private let door: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        door = try scene.receiver.door("core")
        try door.close()
    }

    private func configure(_ more: String) throws {
        try scene.configure(DeliveryScene.core(door, DeliveryScene.quick + "," + more))
    }

    @Test("L5: of log entries the newest are kept, as many as maxPendingLogs says, over a restart")
    func overflow() throws {
        try configure(#""maxPendingLogs":5"#)
        try scene.start()
        try scene.log(0...19)
        try scene.client.wait(for: "core", "the oldest make room") {
            $0.dropped == ["overflow": 15] && $0.pending == 5
        }
        try scene.restart(killed: true)
        #expect(try scene.client.destination("core").written == 20)
        try scene.log(20...20)
        try scene.client.wait(for: "core", "one more goes") { $0.dropped == ["overflow": 16] && $0.pending == 5 }
        try door.open()
        try scene.wait(for: door, toHave: 5)
        #expect(try door.numbers == ["w": [16...20]])
    }

    @Test("L5: however often a server goes and comes, what overflows is counted, and what is kept arrives in order")
    func overflowAndReturn() throws {
        try configure(#""maxPendingLogs":50"#)
        try scene.start()
        for round in 0..<5 {
            try scene.log(round * 200...round * 200 + 199)
            let status = try scene.client.wait(for: "core", "only so much waits") { $0.pending <= 50 }
            #expect(status.written == round * 200 + 200, "\(status)")
            #expect(Set(status.dropped.keys) == ["overflow"], "\(status)")
            if round == 2 { try scene.restart(killed: true) }
            try door.open()
            try scene.client.wait(for: "core", "what was kept is there") { $0.pending == 0 }
            try door.close()
        }
        let (status, report) = (try scene.client.destination("core"), try door.report)
        #expect(status.written == 1_000 && status.deadLetters == 0, "\(status)")
        #expect(status.dropped == ["overflow": 1_000 - status.delivered], "\(status)")
        // The newest of each round were kept.
        #expect(report.disorder.isEmpty && report.unique == status.delivered, "\(report)")
        let numbers = Set(try door.numbers["w"]?.joined().map { $0 } ?? [])
        for round in 0..<5 { #expect(numbers.contains(round * 200 + 199)) }
    }

    @Test("L5: entries older than pendingLogMaxAge are dropped, however many they are, and bear their own time")
    func age() throws {
        try configure(#""pendingLogMaxAge":2,"maxPendingLogs":null"#)
        try door.keepBodies()
        try scene.start()
        try scene.log(0...299)
        // They grow old.
        pass(seconds: 2)
        let before = Date()
        try scene.log(300...301)
        let after = Date()
        // So that they are sent at another time than their own.
        pass(seconds: 0.3)
        try door.open()
        try scene.wait(for: door, toHave: 2)
        let status = try scene.client.destination("core")
        #expect(status.dropped == ["age": 300] && status.delivered == 2, "\(status)")
        for body in try door.bodies {
            let entry = try JSONReader.read(body["text"]?.stringValue ?? "")
            let at = try #require(entry["created_at"]?.stringValue.flatMap { Timestamp($0) })
            // Times have milliseconds, and the machine's clock is corrected now and then.
            let seconds = Double(at.milliseconds) / 1_000
            #expect(seconds > before.timeIntervalSince1970 - 0.1 && seconds < after.timeIntervalSince1970 + 0.1)
        }
    }

    @Test("L3: with persistFailedLogs off, what cannot be delivered at once is dropped; other records are kept")
    func notKept() throws {
        try configure(#""persistFailedLogs":false,"kinds":["log","event"]"#)
        try scene.start()
        try scene.log(0...9)
        try scene.record(0...3)
        try scene.client.wait(for: "core", "they are dropped") { $0.dropped == ["notKept": 10] && $0.pending == 4 }
        try scene.log(10...12)
        try scene.client.wait(for: "core", "they are dropped") { $0.dropped == ["notKept": 13] && $0.pending == 4 }
        let refusal = try scene.client.ask("log.write", #"{"message":"now","confirm":true}"#)
        #expect(refusal.reason == "networkError" && refusal.message?.contains("it was dropped") == true, "\(refusal)")
        try door.open()
        try scene.wait(for: door, toHave: 4)
        try scene.log(13...13)
        try scene.wait(for: door, toHave: 5)
        #expect(try door.numbers == ["e": [0...3], "w": [13...13]])
    }

    @Test("L3: with enabled off nothing is sent, not later either; what waited before is, once it is on again")
    func disabled() throws {
        try configure(#""enabled":true"#)
        try scene.start()
        try scene.log(0...2)
        try configure(#""enabled":false"#)
        try scene.reload()
        try scene.client.wait(for: "core", "it is off") { $0.state == "off" }
        try scene.log(3...5)
        #expect(try scene.client.destination("core").pending == 3)
        // It is known after a crash as well which ones came meanwhile.
        try scene.restart(killed: true)
        try scene.log(6...7)
        #expect(try scene.client.destination("core").pending == 3)
        scene.daemon.kill()
        try door.open()
        try configure(#""enabled":true"#)
        try scene.start()
        try scene.log(8...9)
        try scene.wait(for: door, toHave: 5)
        #expect(try door.numbers == ["w": [0...2, 8...9]])
        #expect(try scene.client.destination("core").written == 5)
        // One that never was on has nothing from before either.
        try door.close()
    }

    @Test("L9: a new destination gets what comes from then on, even if harkd is killed before it has sent anything")
    func newDestination() throws {
        let hook = try scene.receiver.door("hook")
        try scene.configure()
        try scene.start()
        try scene.record(0...4)
        try scene.configure(DeliveryScene.hook(hook, DeliveryScene.quick + #","kinds":["event"]"#))
        try scene.reload()
        try waitUntil("it is there") { try scene.client.call("delivery.status")["destinations"]?[1] != nil }
        // Batches gather for half a second.
        try scene.record(5...9)
        try scene.restart(killed: true)
        try scene.record(10...10)
        try scene.wait(for: hook, toHave: 6)
        #expect(try hook.numbers == ["e": [5...10]])
    }

    @Test("L9: logs neither push out nor delay answers and events of the same destination")
    func lanes() throws {
        try scene.home.files.write(
            SurveyScene.document(SurveyScene.plain("mood")), to: "config/surveys.json")
        try scene.home.configure(
            """
            {"archive":false,"notify":null,"destinations":[\
            \(DeliveryScene.core(door, DeliveryScene.quick + #","kinds":["log","event","survey"],"maxPendingLogs":400,"concurrency":1"#))]}
            """)
        try scene.start()
        try scene.log(0...599)
        try scene.client.record("go", #"{"w":"e","n":0}"#)
        let id = try scene.client.call("survey.present")["survey"]?["presentationId"]?.text ?? ""
        try scene.client.call("survey.answer", #"{"presentationId":"\#(id)","option":"Good"}"#)
        let full = try scene.client.wait(for: "core", "there is room for so many logs") {
            $0.dropped == ["overflow": 200]
        }
        #expect(full.lane("answers")?["pending"] == 2 && full.lane("events")?["pending"] == 1, "\(full)")
        // Four hundred logs that take 50 ms each, one after the other, delay nothing else.
        try door.set(Receiver.Rule("delay", #""seconds":0.05"#))
        try door.open()
        let start = Date()
        let status = try scene.client.wait(for: "core", "answers and events are there") {
            $0.lane("answers")?["delivered"] == 2 && $0.lane("events")?["delivered"] == 1
        }
        #expect(Date().timeIntervalSince(start) < 5)
        #expect(status.lane("logs")?["pending"]?.intValue ?? 0 > 200, "\(status)")
    }
}
