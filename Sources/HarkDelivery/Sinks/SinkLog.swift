package import HarkWire

/// The ids by which sinks know the records of a store. Pure.
///
/// The id of its log and its number there identify a record for ever. For records of machines, a hub has both from the
/// machine. The store's own log has an id that is kept in the store. If the store is set back to an earlier state, it gives
/// numbers again, and records from there on belong to another log.
package struct SinkLog: Sendable, Equatable {
    /// The key under which the store keeps it.
    package static let key = "sink.log"

    /// Each log with the last number before it, ascending.
    private var logs: [(after: UInt64, id: Identifier)]

    package init(_ id: Identifier) { logs = [(0, id)] }

    package static func == (left: SinkLog, right: SinkLog) -> Bool { left.description == right.description }

    /// The id for new records; the store's position is kept under it.
    package var current: Identifier { logs.last?.id ?? Identifier(high: 0, low: 0) }

    /// The last number of the log before the current one.
    package var begin: UInt64 { logs.last?.after ?? 0 }

    /// All ids, the newest first.
    package var all: [Identifier] { logs.reversed().map(\.id) }

    /// The log of one of the store's own numbers.
    package func id(of sequence: UInt64) -> Identifier {
        logs.last { $0.after < sequence }?.id ?? current
    }

    /// Gives records after this number another log.
    package mutating func fork(after sequence: UInt64, as id: Identifier) {
        logs.removeAll { $0.after >= sequence }
        logs.append((sequence, id))
    }

    /// A random UUID (version 4, RFC 9562).
    package static func newId() -> Identifier {
        var random = BlockRandom()
        return Identifier(high: random.next() & ~0xF000 | 0x4000, low: random.next() & ~(0b11 << 62) | 0b10 << 62)
    }
}

extension SinkLog: CustomStringConvertible {
    /// The form in which the store keeps it: `UUID NUMBER:UUID …`.
    package var description: String {
        logs.map { $0.after == 0 ? "\($0.id)" : "\($0.after):\($0.id)" }.joined(separator: " ")
    }

    package init?(_ text: String) {
        logs = []
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":")
            let number = parts.count == 2 ? UInt64(parts[0]) : 0
            guard let id = parts.last.flatMap({ Identifier(String($0)) }), let number, parts.count <= 2,
                logs.last.map({ $0.after < number }) ?? (number == 0)
            else { return nil }
            logs.append((number, id))
        }
        if logs.isEmpty { return nil }
    }
}
