import Foundation
import HarkTesting
import Testing

@testable import HarkSystem

/// The monitor on this machine's real network, which a test must not change; EndToEnd does that in a namespace.
@Suite struct NetworkMonitorTests {
    @Test("L7: the path is known at once, and the interfaces are those of the kernel")
    func start() async throws {
        try await LoopThread.shared.run { loop in
            let monitor = try NetworkMonitor(loop: loop)
            let names = Set(monitor.path.interfaces.map(\.name))
            #expect(names == Set(try FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")))
            let loopback = monitor.path.interfaces.first { $0.kind == .loopback }
            #expect(loopback?.name == "lo")
            #expect(loopback?.isUp == loopback?.addresses.contains { $0.description == "127.0.0.1/8" })
            monitor.stop()
        }
    }

    @Test("a monitor that is dropped leaves nothing behind on the loop")
    func dropped() async throws {
        try await LoopThread.shared.run { loop in
            var monitor: NetworkMonitor? = try NetworkMonitor(loop: loop)
            weak let weakly = monitor
            monitor?.onChange.append { _ in Issue.record("told after its end") }
            monitor = nil
            #expect(weakly == nil)
        }
    }
}
