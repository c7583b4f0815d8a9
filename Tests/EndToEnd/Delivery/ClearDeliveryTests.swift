import Foundation
import HarkWire
import Testing

/// `hark clear` and what waits for servers, or is dead.
@Suite(.endToEnd) struct ClearDeliveryTests {
    private let scene: DeliveryScene
    private let core: Receiver.Door
    private let hook: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        core = try scene.receiver.door("core")
        hook = try scene.receiver.door("hook")
        try scene.configure(
            DeliveryScene.core(core), DeliveryScene.hook(hook, DeliveryScene.quick + #","kinds":["log","event"]"#))
    }

    private func user(_ name: String) -> String { #""userId":"\#(name)","app":"\#(name)""# }

    @Test("a cleared user is gone from buffers and dead letters, and it is told who had received something")
    func clear() throws {
        try scene.start()
        try hook.close()
        // One entry of each reaches the first server, one is refused by it; the second server is down.
        for name in ["userAda", "userBob"] {
            try scene.client.startSession(name, app: name)
            try scene.log(0...0, by: name, user(name))
            try scene.client.wait(for: "core", "it has arrived") { $0.pending == 0 }
            try core.set(.status(400, times: 1))
            try scene.log(1...1, by: name, user(name))
            try scene.client.wait(for: "core", "it is refused") { $0.pending == 0 }
            try scene.record(0...9, by: name, #""app":"\#(name)""#)
        }
        try core.close()
        for name in ["userAda", "userBob"] { try scene.log(2...4, by: name, user(name)) }
        #expect(try scene.client.destination("core").deadLetters == 2)
        #expect(try scene.client.destination("hook").pending == 30)

        let cleared = try scene.home.hark("clear", "--user", "userAda", "--yes")
        #expect(cleared.ending == .exited(0))
        #expect(cleared.errors.contains("is still there: core\n"), "\(cleared)")
        let status = try scene.client.destination("core")
        #expect(status.deadLetters == 1 && status.pending == 3, "\(status)")
        #expect(status.dropped == ["refused": 2, "removed": 3])
        let other = try scene.client.destination("hook")
        #expect(other.pending == 15 && other.dropped == ["removed": 15], "\(other)")
        #expect(try RawFiles(scene.home.state).occurring(of: ["userAda"]).isEmpty)
        #expect(try !RawFiles(scene.home.state).occurring(of: ["line 1 of userBob"]).isEmpty)

        // The remaining records are known after a crash, and only they arrive.
        try scene.restart(killed: true)
        #expect(try scene.client.destination("hook").pending == 15)
        #expect(try scene.client.destination("hook").written == 30)
        try core.open()
        try hook.open()
        try scene.client.wait(for: "hook", "the rest has arrived") { $0.delivered == 15 && $0.pending == 0 }
        try scene.client.wait(for: "core", "the rest has arrived") { $0.delivered == 5 && $0.pending == 0 }
        // Log entries and events are numbered alike.
        #expect(try hook.numbers == ["userBob": [0...9]])
        #expect(try core.numbers == ["userAda": [0...0], "userBob": [0...0, 2...4]])
        _ = try scene.client.call("delivery.replay", #"{"destination":"core"}"#)
        try scene.client.wait(for: "core", "the dead letter that is left is delivered") { $0.deadLetters == 0 }
        #expect(try core.numbers["userAda"] == [0...0])
    }

    @Test("a clear that kill -9 interrupts is counted once, and nothing of it is sent")
    func killed() throws {
        try scene.start()
        for door in [core, hook] { try door.close() }
        for name in ["userAda", "userBob"] {
            for session in 0..<40 {
                try scene.client.startSession(name, app: name)
                try scene.record(session * 10...session * 10 + 9, by: name, #""app":"\#(name)""#)
            }
        }
        #expect(try scene.client.destination("hook").pending == 800)
        try scene.client.send(#"{"id":1,"method":"event.clear","params":{"userId":"userAda"}}"# + "\n")
        pass(milliseconds: 0...30)
        try scene.restart(killed: true)
        #expect(try scene.client.destination("hook").written == 800)
        // Whether it had begun or not, now it is asked for.
        try scene.client.call("event.clear", #"{"userId":"userAda"}"#)
        // Sessions that were marked before the kill are removed by themselves.
        try scene.client.wait(for: "hook", "it is removed") { $0.pending == 400 && $0.dropped == ["removed": 400] }
        try hook.open()
        try scene.wait(for: hook, toHave: 400)
        #expect(try hook.numbers == ["userBob": [0...399]])
    }

    @Test("a clear waits for one request under way, not for all that there is to send")
    func slowServer() throws {
        try core.set(Receiver.Rule("delay", #""seconds":0.3"#))
        try scene.start()
        try scene.log(0...99)
        try waitUntil("requests are under way") { try core.report.requests > 0 }
        let start = Date()
        try scene.client.call("event.clear", #"{"all":true}"#)
        #expect(Date().timeIntervalSince(start) < 3)
        let status = try scene.client.destination("core")
        #expect(status.pending == 0 && status.dropped["removed"] ?? 0 > 80, "\(status)")
        #expect(status.written == 100)
    }
}
