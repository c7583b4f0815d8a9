import Glibc
import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Surveys with a schedule: who takes part without joining, and who is not there.
extension SurveyDesk {
    /// Has each account to which something can be shown take part in what is for everybody.
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
                // Whoever connects next, and the next start, has it done.
                Log.warning("an account could not join the studies that are for everybody: \(error.message)")
            }
        }
    }

    /// Nobody sees a prompt, and there is a reason.
    func noteAway(_ id: Identifier, _ reason: Absence) {
        do throws(WireError) {
            try ledger.decide(needing: .presentation(id)) { engine, changes, now throws(WireError) in
                _ = try engine.noteAway(id, MissedReason(reason), visibleTo: nil, now: now, into: &changes)
            }
        } catch {
            // It has ended meanwhile.
            Log.debug("that nobody was there was not stored: \(error.message)")
        }
    }

    /// A prompt whose person is known to be away comes to nobody.
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
