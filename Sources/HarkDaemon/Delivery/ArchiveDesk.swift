import HarkCore
import HarkDelivery
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Keeps the archive tree in step with the store. At the start, and when files of the tree are missing, it writes them
/// again from the store, and counts and reports sessions that only the tree has.
@DaemonActor
final class ArchiveDesk: Desk {
    private let ledger: Ledger
    private let root: String
    private let destination: ArchiveDestination
    var tree: ArchiveDestination { destination }
    private let courier: Courier
    private let standing: ArchiveStanding
    private var hasBegun = false
    private var isStopped = false
    /// The store does not have its id yet.
    private var isNameless: Bool
    /// The tree may contain sessions that the store does not have.
    private var isDoubtful: Bool
    private(set) var strangers = ArchiveStrangers()
    /// The newest record when these sessions were counted.
    private var countedAt: UInt64 = 0
    private var looking: Task<Void, Never>?
    private var isDirty = false

    init(
        ledger: Ledger, root: String, _ destination: ArchiveDestination, _ courier: Courier, _ standing: ArchiveStanding
    ) {
        self.ledger = ledger
        self.root = root
        self.destination = destination
        self.courier = courier
        self.standing = standing
        isNameless = standing.isNew
        isDoubtful = standing.isDoubtful
    }

    func begin() {
        if !hasBegun { destination.onTouched = { [weak self] in self?.look() } }
        hasBegun = true
        if isNameless { keepName() }
        look()
    }

    func stop() { isStopped = true }

    var troubles: [Trouble] {
        guard strangers != ArchiveStrangers() else { return [] }
        let (sessions, events) = (strangers.sessions, strangers.events)
        let what = "\(sessions) session\(sessions == 1 ? "" : "s") and \(events) event\(events == 1 ? "" : "s")"
        return [
            (
                "archive",
                "\(root) has \(what) that are not in the store, which was lost, emptied, replaced or set back to an earlier "
                    + "state: 'hark repair' brings them back with their numbers and times, 'hark clear' removes them for good"
            )
        ]
    }

    /// Stores the id before anything is written to the tree; the disk keeps this order.
    private func keepName() {
        do throws(WireError) {
            try ledger.decide { [standing] engine, changes, _ in
                engine.remember(standing.log.description, as: ArchiveStanding.logKey, into: &changes)
            }.then { [weak self] outcome in
                if case .success = outcome { self?.isNameless = false }
            }
        } catch {
            Log.warning("the store could not be given an id: \(error.message)")
        }
    }

    private func look() {
        isDirty = true
        guard looking == nil, !isStopped else { return }
        looking = DaemonActor.task { [self] in
            while isDirty, !isStopped {
                isDirty = false
                await lookOnce()
            }
            looking = nil
        }
    }

    private func lookOnce() async {
        // The tree must not name its store before the store has that name.
        try? await ledger.settle()
        guard !isNameless else { return }
        if isDoubtful { await destination.mark(standing.mark) }
        if courier.isOn {
            let mended = await destination.mend(upTo: courier.progress.cursor)
            if mended > 0 {
                Log.warning(
                    "files of \(mended) sessions were missing or damaged in \(root); they were written again from the store"
                )
            }
        }
        await count()
    }

    /// Counts the sessions that only the tree has again, if the count may have changed.
    func recount(always: Bool = false) async {
        if always || strangers != ArchiveStrangers() && countedAt != ledger.committedSequence { await count() }
    }

    private func count() async {
        guard isDoubtful, !isStopped else { return }
        countedAt = ledger.committedSequence
        guard let found = await destination.countStrangers() else { return }
        let before = troubles.first?.message
        strangers = found
        if let message = troubles.first?.message {
            if message != before { Log.warning(message) }
        } else {
            isDoubtful = false
            var mark = standing.mark
            mark.isWhole = true
            await destination.mark(mark)
        }
    }

    /// Clears the matching sessions that only the tree has.
    /// - Parameter uid: The user whose sessions are cleared; nil for all users.
    func clear(_ target: Selection.Target, uid: UInt32?) async throws(WireError) -> ArchiveStrangers {
        switch await destination.clear(target, uid: uid) {
        case .failure(let failure):
            throw WireError(
                .internalError,
                "sessions that only the archive has could not be removed (\(failure.reason)); fix that, and clear again"
            )
        case .success(let cleared):
            if cleared != ArchiveStrangers() { await count() }
            return cleared
        }
    }
}
