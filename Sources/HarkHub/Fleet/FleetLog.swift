import HarkCore
package import HarkLedger
import HarkStore
package import HarkWire

/// The ids that identify the stores of a fleet. They are kept in the store itself, so that another disk has another id.
package enum FleetLog {
    /// The key of a machine's log id.
    package static let logKey = "fleet.log"
    /// The key of a hub's store id.
    static let storeKey = "fleet.store"
}

extension Ledger {
    /// The id that the store keeps by a key of `FleetLog`; decides a new one if there is none.
    package func fleetId(_ key: String) throws(WireError) -> Decided<Identifier> {
        let known = try lookUp { reader throws(StoreError) in try reader.meta(key) }
        if let id = known.flatMap({ Identifier($0) }) { return try decide { _, _, _ in id } }
        return try decideNewFleetId(key)
    }

    /// Gives the log of this machine a new id from here on.
    package func renewFleetLog() async throws(WireError) -> Identifier {
        try await decideNewFleetId(FleetLog.logKey, forgettingCredits: true).stored().value
    }

    private func decideNewFleetId(
        _ key: String, forgettingCredits: Bool = false
    ) throws(WireError) -> Decided<Identifier> {
        var random = BlockRandom()
        // A random UUID (version 4, RFC 9562).
        let id = Identifier(
            high: random.next() & ~0xF000 | 0x4000, low: random.next() & ~(0b11 << 62) | 0b10 << 62)
        return try decide(needing: forgettingCredits ? .all([.quotas, .shown]) : nil) { engine, changes, now in
            engine.remember(id.description, as: key, into: &changes)
            if forgettingCredits { engine.forgetCredits(now: now, into: &changes) }
            return id
        }
    }
}
