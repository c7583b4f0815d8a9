internal import CLinux
internal import Glibc

/// A process, a child or not, that is watched until it ends.
@DaemonActor
package final class ProcessWatch {
    package let pid: Int32
    /// When it started, in ticks since the machine did; nil where /proc does not show it, as under `ProtectProc=`.
    package let startedAt: UInt64?
    private let descriptor: FileDescriptor
    private var source: IOSource?

    /// Watches the process that has this id now.
    ///
    /// - Parameter onEnd: called once, on a later turn, also for one that ends meanwhile.
    /// - Throws: ESRCH when there is none.
    package init(pid: Int32, on loop: EventLoop, onEnd: @escaping @DaemonActor () -> Void) throws(SystemError) {
        self.pid = pid
        descriptor = FileDescriptor(
            owning: try syscall("pidfd_open", detail: "process \(pid)") { hark_pidfd_open(pid) })
        // The descriptor holds on to the process, so what /proc says after this is of it, or of nobody.
        startedAt = ProcessWatch.startOfProcess(pid)
        source = try loop.watch(descriptor.raw, for: .read) { [weak self] _ in
            guard let self, source != nil else { return }
            cancel()
            onEnd()
        }
    }

    /// Watches no more.
    package func cancel() {
        source?.cancel()
        source = nil
    }

    /// Which start of the machine this is; empty where the system does not tell.
    package nonisolated static let boot: String = {
        // A machine without /proc knows its processes by their ids alone.
        let bytes = (try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 256)) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }()

    private static func startOfProcess(_ pid: Int32) -> UInt64? {
        // It may be hidden from us, or gone already.
        guard let bytes = try? FileDescriptor.contents(of: "/proc/\(pid)/stat", limit: 4096) else { return nil }
        // The name, in brackets, may hold anything; what follows its last bracket are fields, the third of all first.
        let rest = bytes.suffix(from: bytes.lastIndex(of: UInt8(ascii: ")")) ?? bytes.endIndex).dropFirst()
        let fields = rest.split(separator: UInt8(ascii: " "))
        return fields.dropFirst(19).first.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}
