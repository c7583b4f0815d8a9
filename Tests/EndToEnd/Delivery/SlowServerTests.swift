import Foundation
import HarkWire
import Testing

/// A server that takes its time, and a daemon that is killed meanwhile.
@Suite(.endToEnd) struct SlowServerTests {
    @Test(
        "L9: a kill sends again what was under way at that moment, and no more; the books stay right",
        arguments: [1, 4])
    func doubles(_ concurrency: Int) throws {
        let scene = try DeliveryScene()
        let door = try scene.receiver.door("core")
        try door.set(.init("delay", #""seconds":0.2"#))
        try scene.configure(DeliveryScene.core(door, #""concurrency":\#(concurrency),"# + DeliveryScene.quick))
        try scene.start()
        let count = 25 * concurrency
        // The lines of one user are sequential, those of several users are concurrent.
        for number in 0..<count {
            try scene.log(number / 8...number / 8, by: "w\(number % 8)", #""userId":"user-\#(number % 8)""#)
        }
        for kill in 1...3 {
            let goal = kill * count / 4
            try waitUntil("some have arrived") { try door.report.unique >= goal }
            try scene.receiver.noteKill(door)
            try scene.restart(killed: true)
            let status = try scene.client.destination("core")
            #expect(status.written == count, "\(status)")
        }
        try door.set([])
        try scene.client.wait(for: "core", "all has arrived") { $0.pending == 0 }
        let report = try door.report
        #expect(report.unique == count)
        #expect(report.entries - report.unique <= 3 * concurrency, "\(report)")
        let status = try scene.client.destination("core")
        #expect(status.delivered == count && status.dropped.isEmpty, "\(status)")
    }
}
