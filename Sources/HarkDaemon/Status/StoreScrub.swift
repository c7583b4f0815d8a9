import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Checks the store for damage in the background: soon after the start and then once a day, a piece at a time, so that
/// damage is known before the data is needed. Reports all known damage, including what others have met.
@DaemonActor
final class StoreScrub: Desk {
    private static let afterStart: UInt64 = 30_000_000
    private static let day: UInt64 = 86_400_000_000
    /// Ten milliseconds of reading, then a pause: at most a twentieth of the time, a hundredth while clients record.
    private nonisolated static let patience = 10_000
    private static let rest: UInt64 = 200_000
    private static let restWhileBusy: UInt64 = 1_000_000

    private let ledger: Ledger
    private var store: Store { ledger.store }
    private let loop: EventLoop
    private var timer: TimerSource?
    private var place = CheckPlace.start
    private var isLooking = false
    /// The newest record at the last check.
    private var newest: UInt64 = 0
    private var isStopped = false

    /// Ends the daemon, and restarts it with a rebuilt store.
    let rebuild: () throws(WireError) -> Void

    init(ledger: Ledger, loop: EventLoop, rebuild: @escaping () throws(WireError) -> Void) {
        self.ledger = ledger
        self.loop = loop
        self.rebuild = rebuild
    }

    func begin() throws {
        guard timer == nil else { return }
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 1_000_000) { [weak self] in self?.look() }
        timer?.arm(afterMicroseconds: StoreScrub.afterStart)
    }

    func stop() {
        isStopped = true
        timer = nil
    }

    var troubles: [Trouble] {
        let lost = store.unreadable.lost
        let shown = lost.prefix(3).map {
            (
                "store",
                "\($0.text) cannot be read, as the file is damaged there: 'hark repair' restores what the archive has"
            )
        }
        let more = lost.count > 3 ? [("store", "\(lost.count - 3) more such places are passed over")] : []
        return shown + more + store.unreadable.notices.map { ("store", $0) }
    }

    private func look() {
        guard !isLooking, !isStopped else { return }
        isLooking = true
        DaemonActor.task { [self] in
            place = await look(from: place) ?? .start
            isLooking = false
            let isBusy = ledger.committedSequence != newest
            newest = ledger.committedSequence
            let rest = isBusy ? StoreScrub.restWhileBusy : StoreScrub.rest
            timer?.arm(afterMicroseconds: place == .start ? StoreScrub.day : rest)
        }
    }

    /// Checks the whole store without pauses.
    func lookThrough() async {
        var next: CheckPlace? = .start
        while let from = next, !isStopped { next = await look(from: from) }
    }

    private func look(from place: CheckPlace) async -> CheckPlace? {
        do throws(StoreError) {
            return try await store.readAside { reader throws(StoreError) in
                try reader.check(from: place, patience: StoreScrub.patience)
            }
        } catch {
            Log.warning("the store could not be looked through for damage: \(error.message)")
            return place.next
        }
    }
}
