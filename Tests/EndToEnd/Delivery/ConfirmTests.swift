import Foundation
import HarkWire
import Testing

/// `hark log --confirm`: the exit codes for scripts.
@Suite(.endToEnd) struct ConfirmTests {
    private let scene: DeliveryScene
    private let door: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        door = try scene.receiver.door("core")
    }

    private func confirm(_ number: Int) throws -> ToolRun {
        try scene.home.hark("log", "line", "--confirm", "w=w", "n:=\(number)")
    }

    @Test("L2: without a destination that takes it, 78, and nothing is kept")
    func notConfigured() throws {
        try scene.configure(DeliveryScene.core(door, #""level":"error""#))
        try scene.start()
        let run = try confirm(0)
        #expect(run.ending == .exited(78))
        #expect(run.errors.contains("level 'info'") && run.errors.contains("nothing was stored"), "\(run.errors)")
        try scene.configure(#"{"name":"core","kind":"sensorcore","host":"\#(door.url)","apiKeyFile":"no.key"}"#)
        try scene.reload()
        let keyless = try confirm(0)
        #expect(keyless.ending == .exited(78) && keyless.errors.contains("no.key"), "\(keyless)")
        try scene.configure()
        try scene.reload()
        #expect(try confirm(0).ending == .exited(78))
        #expect(try scene.client.call("daemon.status")["store"]?["lastSeq"] == 0)
        #expect(try door.report.requests == 0)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: Receiver.Rule?
        let exit: Int32
        let reason: String
        var status: Int64?
        /// Whether it is delivered later.
        var isKept = true
    }

    static let cases: [Case] = [
        .init(testDescription: "nobody listens", rule: nil, exit: 69, reason: "networkError"),
        .init(testDescription: "a reset", rule: .init("reset"), exit: 69, reason: "networkError"),
        .init(testDescription: "no answer", rule: .init("hang"), exit: 69, reason: "networkError"),
        .init(
            testDescription: "an answer that comes too slowly", rule: .init("slow", #""seconds":60"#),
            exit: 69, reason: "networkError"),
        .init(testDescription: "500", rule: .status(500), exit: 76, reason: "serverError", status: 500),
        .init(
            testDescription: "400", rule: .status(400), exit: 76, reason: "serverError", status: 400,
            isKept: false),
        .init(
            testDescription: "401", rule: .status(401), exit: 76, reason: "serverError", status: 401,
            isKept: false),
        .init(
            testDescription: "403 that is no quota", rule: .status(403, body: #"{"code":"FORBIDDEN"}"#),
            exit: 76, reason: "serverError", status: 403, isKept: false),
        .init(
            testDescription: "a redirect", rule: .status(302, headers: #"{"Location":"/elsewhere"}"#),
            exit: 76, reason: "serverError", status: 302, isKept: false),
        .init(testDescription: "429", rule: .status(429), exit: 75, reason: "rateLimited", status: 429),
        .init(
            testDescription: "403 QUOTA_EXCEEDED", rule: .status(403, body: #"{"code":"QUOTA_EXCEEDED"}"#),
            exit: 77, reason: "quotaExceeded", status: 403),
        .init(
            testDescription: "413", rule: .status(413), exit: 65, reason: "encodingFailed", status: 413,
            isKept: false),
    ]

    @Test("L2: each error has its exit code, its reason, and an end that is told", arguments: cases)
    func failure(_ failure: Case) throws {
        // So long that a second try does not come in between.
        try scene.configure(DeliveryScene.core(door, #""retryBaseSeconds":30,"timeoutSeconds":1"#))
        try scene.start()
        func set() throws { if let rule = failure.rule { try door.set(rule) } else { try door.close() } }
        try set()
        let run = try confirm(0)
        #expect(run.ending == .exited(failure.exit), "\(run.errors)")
        #expect(
            run.errors.contains(failure.isKept ? "it is kept, and will be delivered" : "it is among the dead letters"),
            "\(run.errors)")
        try door.set()
        try door.open()
        try scene.client.call("delivery.resume")
        if failure.isKept {
            try scene.client.wait(for: "core", "it was delivered after all") { $0.delivered == 1 && $0.pending == 0 }
        } else {
            #expect(try scene.client.destination("core").deadLetters == 1)
        }
        try set()
        let refusal = try scene.client.ask(
            "log.write", #"{"message":"line","metadata":{"w":"w","n":1},"confirm":true}"#)
        #expect(refusal.reason == failure.reason, "\(refusal)")
        #expect(refusal.value["error"]?["data"]?["status"]?.intValue == failure.status, "\(refusal)")
    }

    @Test("L2: it returns once the server has it; while the breaker is open it says so at once")
    func confirmed() throws {
        try scene.configure(DeliveryScene.core(door, #""retryBaseSeconds":30"#))
        try scene.start()
        let run = try scene.home.hark("log", "line", "--confirm", "--json", "w=w", "n:=0")
        #expect(run.ending == .exited(0) && run.output.contains(#""delivered":"core""#), "\(run)")
        #expect(try door.report.unique == 1)
        #expect(try door.report.header("x-api-key") == "sc_0123456789")
        try door.set(.status(429, headers: #"{"Retry-After":"600"}"#))
        #expect(try confirm(1).ending == .exited(75))
        let start = Date()
        #expect(try confirm(2).ending == .exited(75))
        #expect(Date().timeIntervalSince(start) < 3)
        #expect(try door.report.requests == 2)
        // The destination to wait for can be named.
        #expect(try scene.home.hark("log", "line", "--confirm", "--destination", "nowhere").ending == .exited(66))
    }
}
