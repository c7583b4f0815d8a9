import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// Cancels open showings of surveys that have left the configuration or that people have muted.
///
/// The engine has done so for the users it has loaded. This walks through all others in the store, a batch per turn, so
/// that even a million of them take little memory and loop time. The cancellations are ordinary ones, so subscribers
/// are notified.
@DaemonActor
final class GoneSurveys {
    private let ledger: Ledger
    private var isRunning = false
    /// Whether the configuration has changed since the current walk began.
    private var isDirty = false

    private static let helping = 64

    init(ledger: Ledger) { self.ledger = ledger }

    /// Starts a walk; call it at the start, when the configuration has changed, when a survey was muted, and when
    /// decisions were lost.
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
                // It is called again when the store recovers, and at the next start.
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
                // One by one: loading a user may make the engine unload another that has no changes yet.
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
