internal import CLinux
internal import Glibc

/// A watch on the end of a process, a child or not.
@DaemonActor
package final class ProcessWatch {
    package let pid: Int32
    /// The start time in ticks since boot; nil if /proc does not show it, as under `ProtectProc=`.
    package let startedAt: UInt64?
    private let descriptor: FileDescriptor
    private var source: IOSource?

    /// Watches the process that has this id now.
    ///
    /// - Parameter onEnd: Called once, in a later turn, even if the process ends meanwhile.
    /// - Throws: ESRCH if there is no such process.
    package init(pid: Int32, on loop: EventLoop, onEnd: @escaping @DaemonActor () -> Void) throws(SystemError) {
        self.pid = pid
        descriptor = FileDescriptor(
            owning: try syscall("pidfd_open", detail: "process \(pid)") { hark_pidfd_open(pid) })
        // The descriptor pins the process, so /proc now shows this process or none.
        startedAt = ProcessWatch.startOfProcess(pid)
        source = try loop.watch(descriptor.raw, for: .read) { [weak self] _ in
            guard let self, source != nil else { return }
            cancel()
            onEnd()
        }
    }

    /// Stops watching.
    package func cancel() {
        source?.cancel()
        source = nil
    }

    /// The id of the machine's boot; empty if unknown.
    package nonisolated static let boot: String = {
        // Without /proc, processes are identified by their ids alone.
        let bytes = (try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 256)) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }()

    private static func startOfProcess(_ pid: Int32) -> UInt64? {
        // The file may be hidden, or gone already.
        guard let bytes = try? FileDescriptor.contents(of: "/proc/\(pid)/stat", limit: 4096) else { return nil }
        // The name, in parentheses, may contain anything; after the last parenthesis come the fields from the third on.
        let rest = bytes.suffix(from: bytes.lastIndex(of: UInt8(ascii: ")")) ?? bytes.endIndex).dropFirst()
        let fields = rest.split(separator: UInt8(ascii: " "))
        return fields.dropFirst(19).first.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}
