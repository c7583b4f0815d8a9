import Glibc
import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Surveys with a schedule: participants who need not join, and people who are away.
extension SurveyDesk {
    /// Adds each account to which surveys can be shown to the studies that are for everybody.
    func joinEverybody() {
        guard ledger.settings.knowsSurveys, ledger.settings.surveys.hasEverybody else { return }
        var accounts = Set(watchers.filter { $0.isPresenter && !$0.isKiosk }.map(\.connection.peer.uid))
        if !options.isSystem { accounts.insert(getuid()) }
        for uid in accounts.sorted() {
            let user = UserKey(uid: uid, userId: nil)
            let scope = Scope(uid: uid, app: Scope.defaultApp)
            let need: Need = .all([
                .holdings([.presentations], of: uid), .countedScope(scope), .following(in: scope), .user(user),
                .forms(of: user),
            ])
            do throws(WireError) {
                try ledger.decide(needing: need) { engine, changes, now in
                    engine.joinForEverybody(user, in: scope, now: now, into: &changes)
                }
            } catch {
                // Tried again when the next presenter connects, and at the next start.
                Log.warning("an account could not join the studies that are for everybody: \(error.message)")
            }
        }
    }

    /// Notes that a prompt's person is away, and why.
    func noteAway(_ id: Identifier, _ reason: Absence) {
        do throws(WireError) {
            try ledger.decide(needing: .presentation(id)) { engine, changes, now throws(WireError) in
                _ = try engine.noteAway(id, MissedReason(reason), visibleTo: nil, now: now, into: &changes)
            }
        } catch {
            // The prompt has ended meanwhile.
            Log.debug("that nobody was there was not stored: \(error.message)")
        }
    }

    /// Notes the absence of a ready prompt's person if it is already known, and no presenter shows the prompt.
    func noteAbsent(_ presentation: Presentation) {
        guard presentation.state == .ready, let sampling = presentation.times.sampling, sampling.away == nil,
            presentation.times.notified == nil, let reason = absent[presentation.user.uid],
            !hasPresenter(in: presentation.scope)
        else { return }
        let id = presentation.id
        DaemonActor.post { [weak self] in self?.noteAway(id, reason) }
    }
}

extension MissedReason {
    init(_ absence: Absence) {
        self =
            switch absence {
            case .locked: .locked
            case .idle: .idle
            case .doNotDisturb: .doNotDisturb
            }
    }
}
