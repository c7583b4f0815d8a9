import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Cancels what is open of surveys that have left the configuration, or that people do not want to be asked.
///
/// The engine has done so already for the users it remembers. Here all others are gone through in the store, a helping a
/// turn, so that a million of them take neither the memory nor the loop; and each cancellation goes the way of every
/// other, so whoever has subscribed hears of it.
@DaemonActor
final class GoneSurveys {
    private let ledger: Ledger
    private var isRunning = false
    /// The configuration has changed since the walk under way began.
    private var isDirty = false

    private static let helping = 64

    init(ledger: Ledger) { self.ledger = ledger }

    /// To be called at the start, when the configuration has changed, when somebody has muted something, and when what was
    /// decided was lost.
    func look() {
        guard ledger.settings.knowsSurveys else { return }
        isDirty = true
        guard !isRunning else { return }
        isRunning = true
        DaemonActor.task { [self] in
            defer { isRunning = false }
            do throws(WireError) {
                while isDirty {
                    isDirty = false
                    try await walk()
                }
            } catch {
                // Once the store takes commits again somebody calls, and the next start does in any case.
                Log.debug("surveys that are gone could not be cancelled for everybody: \(error.message)")
            }
        }
    }

    private func walk() async throws(WireError) {
        var last: OpenSurvey?
        while !isDirty {
            let page = try ledger.lookUp { reader throws(StoreError) in
                try reader.openSurveys(after: last, limit: GoneSurveys.helping)
            }
            try ledger.decide(needing: .wishes) { engine, _, now in
                page.filter { engine.isUnwanted($0.survey, of: $0.user, now: now) }
            }.note { unwanted throws(WireError) in
                // One by one: bringing a user in may make the engine forget another that has no changes yet.
                for user in unwanted.map(\.user) {
                    try ledger.decide(needing: .user(user)) { engine, changes, now in
                        engine.cancelUnwanted(of: user, now: now, into: &changes)
                    }
                }
            }
            try await ledger.settle()
            guard page.count == GoneSurveys.helping else { return }
            last = page.last
        }
    }
}
