import Foundation
import HarkWire
import Testing

/// The breaker: a server's request to wait holds over restarts, and no server is hammered.
@Suite(.endToEnd) struct BreakerTests {
    private let scene: DeliveryScene
    private let door: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        door = try scene.receiver.door("core")
    }

    @Test("L6: a 429 is honoured over restarts and kill -9, and a single probe goes before the rest")
    func rateLimit() throws {
        try scene.configure(DeliveryScene.core(door))
        try door.set(
            .status(429, times: 1, headers: #"{"Retry-After":"4"}"#),
            Receiver.Rule("delay", times: 1, #""seconds":0.5"#))
        try scene.start()
        try scene.log(0...0)
        let open = try scene.client.wait(for: "core", "the breaker is open") { $0.state == "open" }
        #expect(open.retryAt != nil && open.lastError?.contains("429") == true, "\(open)")
        for isKilled in [true, false, true] {
            try scene.log(1...1, by: UUID().uuidString)
            try scene.restart(killed: isKilled)
            let status = try scene.client.destination("core")
            #expect(status.state == "open" && status.retryAt == open.retryAt && status.lastError == open.lastError)
        }
        // A flush does not shorten the wait that the server has asked for.
        try scene.client.call("delivery.flush")
        #expect(try door.report.requests == 1)
        try scene.wait(for: door, toHave: 4)
        let times = try door.report.times
        #expect(times[1] - times[0] >= 3.9, "the wait was \(times[1] - times[0]) s")
        #expect(times[2] - times[1] >= 0.5, "nothing goes before the probe has been accepted")
        #expect(try scene.client.destination("core").dropped.isEmpty)
    }

    @Test("L6: Retry-After as a date is honoured, and one in the past makes no loop")
    func dates() throws {
        try scene.configure(DeliveryScene.core(door, #""retryBaseSeconds":0.5,"retryCapSeconds":1"#))
        try door.set(
            Receiver.Rule("status", times: 1, #""status":429,"retryDate":3"#),
            Receiver.Rule("status", times: 2, #""status":429,"retryDate":-100"#))
        try scene.start()
        try scene.log(0...0)
        try scene.wait(for: door, toHave: 1)
        let times = try door.report.times
        #expect(times.count == 4)
        // A date has whole seconds.
        #expect(times[1] - times[0] > 1.9, "\(times)")
        #expect(times[2] - times[1] > 0.45 && times[3] - times[2] > 0.45, "\(times)")
    }

    @Test("L6: a wait of centuries is cut to a day")
    func endless() throws {
        try scene.configure(DeliveryScene.core(door))
        try door.set(.status(503, times: 1, headers: #"{"Retry-After":"99999999999999999999"}"#))
        try scene.start()
        try scene.log(0...0)
        let status = try scene.client.wait(for: "core", "it waits") { $0.retryAt != nil }
        let latest = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000) + 86_400_000)
        #expect(status.retryAt.flatMap { Timestamp($0) }.map { $0 <= latest } == true, "\(status)")
        // The wait that the server asks for is kept, but an administrator may know better.
        #expect(try scene.client.call("delivery.resume")["resumed"] == ["core"])
        try scene.wait(for: door, toHave: 1)
    }

    @Test("L6: after failures the breaker is open over restarts, however often harkd starts")
    func failures() throws {
        let other = try scene.receiver.door("hook")
        try scene.configure(
            DeliveryScene.core(door, #""retryBaseSeconds":0.01,"maxAttempts":null"#), DeliveryScene.hook(other))
        try door.set(.status(500, times: 2), .status(503, headers: #"{"Retry-After":"600"}"#))
        try scene.start()
        try scene.log(0...9)
        let open = try scene.client.wait(for: "core", "the breaker is open") { $0.state == "open" }
        let requests = try door.report.requests
        for _ in 0..<4 {
            try scene.restart(killed: true)
            #expect(try scene.client.destination("core").state == "open")
            #expect(try scene.client.destination("core").retryAt == open.retryAt)
        }
        // By the time another destination has delivered them, this one would have tried.
        try scene.log(10...10)
        try scene.wait(for: other, toHave: 11)
        #expect(try door.report.requests == requests)
        #expect(try scene.client.destination("core").pending == 11)
    }

    @Test("L6: with suspendUntilRestart a 429 ends delivery until harkd starts again")
    func suspension() throws {
        try scene.configure(DeliveryScene.core(door, DeliveryScene.quick + #","suspendUntilRestart":true"#))
        try door.set(.status(429, times: 1, headers: #"{"Retry-After":"0"}"#))
        try scene.start()
        try scene.log(0...0)
        try scene.client.wait(for: "core", "it is suspended") { $0.state == "suspended" }
        try scene.log(1...5)
        try scene.client.call("delivery.flush")
        // A further request is told at once that nothing is sent.
        let refusal = try scene.client.ask("log.write", #"{"message":"now","metadata":{"w":"w","n":6},"confirm":true}"#)
        #expect(refusal.reason == "rateLimited", "\(refusal)")
        #expect(try door.report.requests == 1)
        try scene.restart(killed: true)
        try scene.wait(for: door, toHave: 7)
    }

    @Test("L6: a quota that is used up suspends over restarts, until somebody resumes")
    func quota() throws {
        try scene.configure(DeliveryScene.core(door))
        try door.set(.status(403, times: 1, body: #"{"code":"QUOTA_EXCEEDED","message":"upgrade"}"#))
        try scene.start()
        try scene.log(0...4)
        try scene.client.wait(for: "core", "it is suspended") { $0.state == "suspended" }
        // The state is told a moment before its account is on disk: killed just then, the daemon would ask once more. An
        // end in order waits for the account.
        for isKilled in [false, true] {
            try scene.restart(killed: isKilled)
            let status = try scene.client.destination("core")
            #expect(status.state == "suspended" && status.pending == 5, "\(status)")
            #expect(status.lastError?.contains("quota") == true)
        }
        let refusal = try scene.client.ask("log.write", #"{"message":"now","metadata":{"w":"w","n":5},"confirm":true}"#)
        #expect(refusal.reason == "quotaExceeded", "\(refusal)")
        #expect(try door.report.requests == 1)
        #expect(try scene.home.hark("delivery", "resume", "core").output == "resumed core\n")
        try scene.wait(for: door, toHave: 6)
        #expect(try scene.home.hark("delivery", "resume").output == "nothing was suspended\n")
    }

    @Test("a failure whose wait is over while others are still under way is not waited for for ever")
    func wakeUp() throws {
        // Four at a time: one fails at once, the others take their time.
        try scene.configure(DeliveryScene.core(door, #""retryBaseSeconds":0.01,"retryCapSeconds":0.01"#))
        try door.set(
            .status(500, times: 1), Receiver.Rule("delay", times: 3, #""seconds":0.4"#), .status(500, times: 1),
            Receiver.Rule("delay", times: 3, #""seconds":0.4"#))
        try scene.start()
        for number in 0..<8 { try scene.log(0...3, by: "w\(number)", #""app":"app\#(number)""#) }
        try scene.wait(for: door, toHave: 32)
    }
}
