import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// The recount that keeps this hub from dealing credits (`CreditRecount`), over restarts.
@DaemonActor
final class FleetRecount {
    private let ledger: Ledger
    private let lease: Int64
    private var recount = CreditRecount()
    private var hasBegun = false

    private static let key = "fleet.recount"

    init(ledger: Ledger, lease: Int64) {
        self.ledger = ledger
        self.lease = lease
    }

    /// Why nothing is dealt.
    var problem: String? {
        guard recount.since != nil else { return nil }
        let rest =
            switch recount.awaited.count {
            case 0: "no machine has told of more for a day"
            case 1: "1 more machine has told what it holds"
            case let count: "\(count) more machines have told what they hold"
            }
        return
            "the store of this hub was set back or replaced: \(recount.machine ?? "a machine") was dealt more of the answers "
            + "that quotas ask for than this hub knows. It deals no more before \(rest)"
    }

    func begin() throws(WireError) {
        guard !hasBegun else { return }
        let stored = try ledger.lookUp { reader throws(StoreError) in try reader.meta(FleetRecount.key) }
        hasBegun = true
        guard let since = stored.flatMap({ Timestamp($0) }) else { return }
        recount.begin(since: since, by: nil, awaiting: try holders(at: since), at: ledger.ageClock.now)
    }

    /// The logs that may have held something at a moment.
    private func holders(at moment: Timestamp) throws(WireError) -> Set<CreditPool.Log> {
        let oldest = moment.adding(milliseconds: -CreditPool.patience(lease))
        return try ledger.lookUp { reader throws(StoreError) in
            let places = try reader.fleetPlaces().filter { $0.takenAt >= oldest }
            return Set(places.map { CreditPool.Log(machine: $0.machine, id: $0.log) })
                .union(try reader.creditHolders(until: moment))
        }
    }

    func heard(_ log: CreditPool.Log) { recount.heard(log) }

    /// A machine holds more than the store knows.
    func learned(of log: CreditPool.Log) throws(WireError) {
        let now = ledger.ageClock.now
        guard recount.since == nil else { return recount.learned(at: now) }
        recount.begin(since: now, by: log.machine, awaiting: try holders(at: now).subtracting([log]), at: now)
        Log.warning("fleet: \(problem ?? "")")
        try remember(now.description)
    }

    func mayDeal(at now: Timestamp) throws(WireError) -> Bool {
        let wasHeld = recount.since != nil
        guard recount.mayDeal(at: now, lease: lease) else { return false }
        guard wasHeld else { return true }
        try remember("")
        Log.notice("fleet: machines have told what they hold, and the answers of quotas are dealt again")
        return true
    }

    private func remember(_ text: String) throws(WireError) {
        try ledger.decide { engine, changes, _ in engine.remember(text, as: FleetRecount.key, into: &changes) }
    }
}
