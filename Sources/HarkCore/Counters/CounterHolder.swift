internal import HarkWire

/// What belongs to the run of an app that a counter follows: the run lasts as long as any of them does.
package enum CounterHolder: Hashable, Sendable {
    /// A connection, numbered within a run of the daemon. It does not outlive that.
    case connection(Int64, run: Int64)
    case process(ProcessIdentity)

    /// Whether it cannot be there any more in this run of the daemon.
    func isOver(in run: Int64) -> Bool {
        if case .connection(_, let other) = self { other != run } else { false }
    }
}

/// Names a process for good: its id alone is another's one day.
package struct ProcessIdentity: Hashable, Sendable {
    package let pid: Int32
    /// In ticks since the machine started; nil where the system does not tell.
    package let startedAt: UInt64?
    /// Which start of the machine that was.
    package let boot: String

    package init(pid: Int32, startedAt: UInt64?, boot: String) {
        self.pid = pid
        self.startedAt = startedAt
        self.boot = boot
    }
}

extension CounterHolder {
    /// All holders of a counter as the store keeps them.
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
