internal import HarkWire

/// A connection or process of an app's run. The run of a counter lasts as long as any of its holders.
package enum CounterHolder: Hashable, Sendable {
    /// A connection, numbered within a run of the daemon, which it does not outlive.
    case connection(Int64, run: Int64)
    case process(ProcessIdentity)

    /// Whether the holder cannot exist any more in this run of the daemon.
    func isOver(in run: Int64) -> Bool {
        if case .connection(_, let other) = self { other != run } else { false }
    }
}

/// Identifies a process for good; its pid alone can be reused.
package struct ProcessIdentity: Hashable, Sendable {
    package let pid: Int32
    /// The start time in ticks since boot; nil if the system does not report it.
    package let startedAt: UInt64?
    /// The boot of the machine that `startedAt` belongs to.
    package let boot: String

    package init(pid: Int32, startedAt: UInt64?, boot: String) {
        self.pid = pid
        self.startedAt = startedAt
        self.boot = boot
    }
}

extension CounterHolder {
    /// Packs all holders of a counter for the store.
    package static func packed(_ holders: [CounterHolder]) -> [UInt8] {
        JSONValue.array(
            holders.map { holder in
                switch holder {
                case .connection(let number, let run): [.int(run), .int(number)]
                case .process(let process):
                    [
                        .int(Int64(process.pid)), process.startedAt.map { .int(Int64(clamping: $0)) } ?? .null,
                        .string(process.boot),
                    ]
                }
            }
        ).packed
    }

    /// - Returns: nil when the bytes hold no holders.
    package static func read(packed bytes: [UInt8]) -> [CounterHolder]? {
        JSONValue(packed: bytes)?.arrayValue?.compactMap { holder in
            guard let parts = holder.arrayValue, let first = parts.first?.intValue else { return nil }
            if parts.count == 2 { return parts[1].intValue.map { .connection($0, run: first) } }
            guard parts.count == 3, let pid = Int32(exactly: first), let boot = parts[2].stringValue else { return nil }
            return .process(
                ProcessIdentity(pid: pid, startedAt: parts[1].intValue.map { UInt64(clamping: $0) }, boot: boot))
        }
    }
}
