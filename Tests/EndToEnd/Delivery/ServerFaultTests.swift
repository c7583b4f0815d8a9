import Foundation
import HarkWire
import Testing

/// Servers that are not quite as they should be.
@Suite(.endToEnd) struct ServerFaultTests {
    private let scene: DeliveryScene

    init() throws { scene = try DeliveryScene() }

    @Test("a server nobody vouches for gets nothing; with its authority configured it gets all")
    func unknownAuthority() throws {
        let (own, other) = (
            try OwnCertificate(in: scene.home.files), try OwnCertificate(in: scene.home.files, "other")
        )
        let door = try scene.receiver.door("core", #""certificate":["\#(own.certificate)","\#(own.key)"]"#)
        func configure(_ more: String) throws {
            try scene.configure(
                #"{"name":"core","kind":"sensorcore","host":"https://127.0.0.1:\#(door.port)","apiKeyFile":"core.key","maxAttempts":1,\#(DeliveryScene.quick)\#(more)}"#
            )
        }
        for more in ["", #","caFile":"\#(other.certificate)""#] {
            try configure(more)
            if more.isEmpty { try scene.start() } else { try scene.reload() }
            try scene.log(0...4, by: more.isEmpty ? "a" : "b")
            let status = try scene.client.wait(for: "core", "it is told") { $0.state == "open" }
            #expect(status.lastError?.contains("certificate") == true, "\(status)")
            #expect(status.dropped.isEmpty)
        }
        #expect(try scene.home.hark("log", "line", "--confirm", "w=c", "n:=0").ending == .exited(69))
        #expect(try door.report.requests == 0)
        try configure(#","caFile":"\#(own.certificate)""#)
        try scene.reload()
        try scene.wait(for: door, toHave: 11)
        // Connections are kept: the handshakes are few.
        #expect(try door.report.connections <= 8)
    }

    @Test("a server that closes kept connections without a word costs nothing")
    func closing() throws {
        let door = try scene.receiver.door("core")
        try door.set(Receiver.Rule("close"))
        try scene.configure(DeliveryScene.core(door, DeliveryScene.quick + #","maxAttempts":1"#))
        try scene.start()
        for number in 0..<40 {
            try scene.log(number...number)
            // The server's close comes before the next, or after it, or together with it.
            pass(milliseconds: 0...10)
        }
        try scene.wait(for: door, toHave: 40)
        let status = try scene.client.destination("core")
        #expect(status.dropped.isEmpty && status.delivered == 40, "\(status)")
        #expect(try door.report.entries == 40)
    }

    @Test("2xx counts whatever comes with it; what is no HTTP does not, and is tried again")
    func garbage() throws {
        let door = try scene.receiver.door("otel")
        try door.set(
            Receiver.Rule("accept", times: 1, #""answer":"this is no JSON""#),
            Receiver.Rule("accept", times: 1, #""answer":{"partialSuccess":{"rejectedLogRecords":-5}}"#),
            Receiver.Rule("accept", times: 1, #""answer":{"partialSuccess":{"rejectedLogRecords":"999"}}"#),
            Receiver.Rule("garbage", times: 1), .status(204, times: 1))
        try scene.configure(DeliveryScene.otel(door))
        try scene.start()
        for number in 0..<3 {
            try scene.log(number...number)
            try scene.client.wait(for: "otel", "it is through") { $0.written == number + 1 && $0.pending == 0 }
        }
        // A server that takes a part does not say which; more than there was it cannot have refused.
        #expect(try scene.client.destination("otel").dropped == ["refused": 1])
        #expect(try scene.client.destination("otel").delivered == 2)
        try scene.log(3...3)
        try scene.client.wait(for: "otel", "it is through") { $0.delivered == 3 && $0.pending == 0 }
        #expect(try door.report.duplicates("incident") == 0)
        #expect(try door.report.requests == 5)
    }

    @Test(
        "a disk that is full here does not send the same records again and again", .enabled(if: MountSpace.isPossible))
    func fullDisk() throws {
        let space = try MountSpace()
        scene.home.prefix = space.prefix
        try check("mkdir") { mkdir(scene.home.state, 0o700) }
        try space.run("mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", scene.home.state)
        let door = try scene.receiver.door("core")
        try door.close()
        try scene.configure(DeliveryScene.core(door))
        try scene.start()
        try scene.log(0...19)
        let ballast = try Ballast(in: space.outside(scene.home.state))
        // Until nothing at all fits any more.
        let filling = String(repeating: "x", count: 2_000)
        try waitUntil("the disk is full") {
            try scene.client.ask("event.record", #"{"name":"fill","properties":{"t":"\#(filling)"}}"#).result == nil
        }
        try door.open()
        // Nothing is sent while the store does not take how the attempt before has failed, which may have been before or after it
        // was full.
        try waitUntil("they are sent, or wait for the store") {
            try door.report.unique > 0 || scene.daemon.errors.contains("the store did not take the account")
        }
        // Longer than it takes until they would be sent once more, and that several times.
        pass(seconds: 11)
        let report = try door.report
        #expect(report.entries == report.unique && report.unique <= 20, "\(report)")
        try ballast.remove()
        try scene.wait(for: door, toHave: 20)
        #expect(try door.report.entries == 20)
        #expect(try scene.client.destination("core").delivered == 20)
    }
}
