import HarkCore
import HarkFleet
import HarkStore
import HarkSystem
import HarkWire

/// Keeps a hub from dealing credits while it does not know what it has dealt: its store was set back to an earlier state, or
/// replaces one that was lost.
///
/// It is found out when a machine holds more than the hub has dealt it. Then nothing more is dealt until all machines that the
/// hub knows have told what they hold, or may not use it any more.
@DaemonActor
final class CreditRecount {
    private let ledger: Ledger
    private let lease: Int64
    private var since: Timestamp?
    private var hasBegun = false
    /// The machines that have told what they hold since the start of this hub.
    private var heard: Set<Identifier> = []
    /// Those that are still to tell.
    private var awaited: Set<Identifier> = []

    private static let key = "fleet.recount"

    init(ledger: Ledger, lease: Int64) {
        self.ledger = ledger
        self.lease = lease
    }

    /// Why nothing is dealt.
    var problem: String? {
        guard since != nil else { return nil }
        return
            "the store of this hub was set back or replaced, and it does not know what it has dealt of the answers that quotas ask "
            + "for; it deals no more before \(awaited.count) more machines have told what they hold"
    }

    func begin() throws(WireError) {
        guard !hasBegun else { return }
        let stored = try ledger.lookUp { reader throws(StoreError) in try reader.meta(CreditRecount.key) }
        hasBegun = true
        guard let began = stored.flatMap({ Timestamp($0) }) else { return }
        since = began
        try expect(since: began)
    }

    private func expect(since: Timestamp) throws(WireError) {
        let places = try ledger.lookUp { reader throws(StoreError) in try reader.fleetPlaces() }
        let oldest = since.adding(milliseconds: -(lease + lease / 8))
        awaited = Set(places.filter { $0.takenAt >= oldest }.map(\.log)).subtracting(heard)
    }

    func heard(_ log: Identifier) {
        heard.insert(log)
        awaited.remove(log)
    }

    /// A machine holds more than the store knows.
    func learned(of machine: String) throws(WireError) {
        guard since == nil else { return }
        let now = ledger.ageClock.now
        since = now
        try expect(since: now)
        Log.warning("fleet: \(machine) has told of credits that are not known here; \(problem ?? "")")
        try ledger.decide { engine, changes, _ in
            engine.remember(now.description, as: CreditRecount.key, into: &changes)
        }
    }

    func mayDeal(at now: Timestamp) throws(WireError) -> Bool {
        guard let began = since else { return true }
        guard awaited.isEmpty || now.milliseconds - began.milliseconds > lease + lease / 8 else { return false }
        since = nil
        try ledger.decide { engine, changes, _ in engine.remember("", as: CreditRecount.key, into: &changes) }
        Log.notice("fleet: all machines have told what they hold, and the answers of quotas are dealt again")
        return true
    }
}
