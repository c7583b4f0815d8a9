import HarkCore
package import HarkLedger
import HarkStore
import HarkSystem
package import HarkWire

/// The ids that identify the stores of a fleet. They are kept in the store itself, so that another disk has another id.
package enum FleetLog {
    /// The key of a machine's log id.
    package static let logKey = "fleet.log"
    /// The key of a hub's store id.
    static let storeKey = "fleet.store"

    /// The id of the store; decides a new one if there is none.
    @DaemonActor
    package static func id(_ key: String, in ledger: Ledger) throws(WireError) -> Decided<Identifier> {
        let known = try ledger.lookUp { reader throws(StoreError) in try reader.meta(key) }
        if let id = known.flatMap({ Identifier($0) }) { return try ledger.decide { _, _, _ in id } }
        return try decideNew(key, in: ledger)
    }

    /// Gives the log a new id from here on.
    @DaemonActor
    package static func renew(in ledger: Ledger) async throws(WireError) -> Identifier {
        try await decideNew(logKey, in: ledger, forgettingCredits: true).stored().value
    }

    @DaemonActor
    private static func decideNew(
        _ key: String, in ledger: Ledger, forgettingCredits: Bool = false
    ) throws(WireError) -> Decided<Identifier> {
        var random = BlockRandom()
        // A random UUID (version 4, RFC 9562).
        let id = Identifier(
            high: random.next() & ~0xF000 | 0x4000, low: random.next() & ~(0b11 << 62) | 0b10 << 62)
        return try ledger.decide(needing: forgettingCredits ? .all([.quotas, .shown]) : nil) { engine, changes, now in
            engine.remember(id.description, as: key, into: &changes)
            if forgettingCredits { engine.forgetCredits(now: now, into: &changes) }
            return id
        }
    }
}
