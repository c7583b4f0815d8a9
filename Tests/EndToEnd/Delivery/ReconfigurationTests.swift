import Foundation
import HarkWire
import Testing

/// Destinations that are set up otherwise, by a reload or by a start, also while requests are under way.
@Suite(.endToEnd) struct ReconfigurationTests {
    private let scene: DeliveryScene
    private let door: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        door = try scene.receiver.door("core")
    }

    private func names() throws -> [String] {
        try scene.client.call("delivery.status")["destinations"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            ?? []
    }

    @Test("two reloads in a row with requests under way: one destination, everything arrives, in order")
    func twice() throws {
        try scene.configure(DeliveryScene.core(door))
        // Shorter than a reload waits for a request, which is sent again otherwise.
        try door.set(Receiver.Rule("delay", times: 1, #""seconds":1"#))
        try scene.start()
        try scene.log(0...49)
        try waitUntil("a request is under way") { try door.report.requests >= 1 }
        for timeout in [5, 6, 7] {
            try scene.configure(DeliveryScene.core(door, DeliveryScene.quick + #","timeoutSeconds":\#(timeout)"#))
            try scene.reload()
            #expect(try names() == ["archive", "core"])
        }
        try scene.log(50...59)
        try scene.wait(for: door, toHave: 60)
        let report = try door.report
        #expect(report.disorder.isEmpty && report.entries == 60, "\(report)")
        #expect(try names() == ["archive", "core"])
        #expect(try scene.client.destination("core").written == 60)
        #expect(try scene.client.call("config.get")["config"]?["destinations"]?[0]?["timeoutSeconds"] == 7.0)
    }

    @Test("a request that hangs does not keep a new configuration from coming into force")
    func hanging() throws {
        try scene.configure(DeliveryScene.core(door, DeliveryScene.quick + #","timeoutSeconds":600"#))
        try door.set(Receiver.Rule("hang", times: 1, #""seconds":600"#))
        try scene.start()
        try scene.log(0...0)
        try waitUntil("a request is under way") { try door.report.requests == 1 }
        try scene.configure(DeliveryScene.core(door))
        try scene.reload()
        try scene.wait(for: door, toHave: 1, within: 6)
        #expect(try scene.client.destination("core").dropped.isEmpty)
        // Nor does it keep the daemon from ending.
        try door.set(Receiver.Rule("hang", times: 1, #""seconds":600"#))
        try scene.log(1...1)
        try waitUntil("a request is under way") { try door.report.requests == 3 }
        let (ending, seconds) = try scene.daemon.stop()
        #expect(ending == .exited(0) && seconds < 3, "\(seconds) s")
    }

    @Test("headers, queries and keys that change are in force after a reload")
    func secrets() throws {
        let hook = try scene.receiver.door("hook")
        func configure(_ site: String) throws {
            try scene.configure(
                DeliveryScene.core(door),
                #"{"name":"hook","kind":"http","url":"\#(hook.url)/in","headers":{"X-Site":"\#(site)"}}"#)
        }
        try configure("lab")
        try scene.start()
        try scene.client.call("log.write", #"{"message":"a","metadata":{"w":"w","n":0}}"#)
        try waitUntil("both have it") { try hook.report.unique > 0 && door.report.unique > 0 }
        #expect(try hook.report.header("X-Site") == "lab")
        try configure("office")
        try scene.home.files.write("sc_another", to: "config/core.key")
        try scene.reload()
        let before = try hook.report.entries
        try scene.client.call("log.write", #"{"message":"b","metadata":{"w":"w","n":1}}"#)
        try waitUntil("both have it") { try hook.report.entries > before && door.report.unique > 1 }
        #expect(try hook.report.header("X-Site") == "office")
        #expect(try door.report.header("x-api-key") == "sc_another")
    }

    @Test("a wrong key pauses delivery; the right one goes on at once, and the dead letters can be replayed")
    func wrongKey() throws {
        try scene.configure(DeliveryScene.core(door, #""retryBaseSeconds":600,"retryCapSeconds":600"#))
        try door.set(.status(401))
        try scene.start()
        try scene.log(0...9)
        let paused = try scene.client.wait(for: "core", "it pauses") { $0.state == "open" && $0.pending == 9 }
        #expect(paused.lastError?.contains("check the key") == true, "\(paused)")
        #expect(paused.dropped == ["refused": 1] && paused.deadLetters == 1, "\(paused)")
        #expect(try door.report.requests == 1)
        try door.set()
        try scene.home.files.write("sc_another", to: "config/core.key")
        try scene.reload()
        try scene.wait(for: door, toHave: 9)
        #expect(try scene.home.hark("delivery", "replay", "core").output == "1 dead letter to be tried again\n")
        try scene.wait(for: door, toHave: 10)
        try scene.client.wait(for: "core", "the account knows it") { $0.deadLetters == 0 }
        let status = try scene.client.destination("core")
        #expect(status.dropped.isEmpty && status.deadLetters == 0 && status.delivered == 10, "\(status)")
    }

    @Test("a destination that is taken away and comes back goes on where it was, by a start as by a reload")
    func awayAndBack() throws {
        try scene.configure(DeliveryScene.core(door))
        try scene.start()
        try scene.log(0...4)
        try scene.wait(for: door, toHave: 5)
        try scene.configure()
        try scene.reload()
        #expect(try names() == ["archive"])
        try scene.log(5...9)
        try scene.restart(killed: true)
        try scene.log(10...14)
        try scene.configure(DeliveryScene.core(door))
        try scene.restart()
        try scene.wait(for: door, toHave: 15)
        #expect(try door.report.duplicates("unexplained") == 0)
        // It may want fewer records than before, so waiting records are counted anew.
        try door.close()
        try scene.log(15...19)
        try scene.log(20...21, by: "w", #""level":"error""#)
        try scene.configure(DeliveryScene.core(door, DeliveryScene.quick + #","level":"error""#))
        try scene.restart(killed: true)
        #expect(try scene.client.destination("core").pending == 2)
        try door.open()
        try scene.wait(for: door, toHave: 17)
    }
}
