import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// The presenters, the surveys they show, and the surveys to send them.
extension SurveyDesk {
    /// A subscription has begun or ended.
    func follow(_ watcher: SurveySubscription, hasBegun: Bool) {
        noteKiosks()
        guard hasBegun else { return giveBack(ObjectIdentifier(watcher.connection)) }
        guard watcher.isPresenter else { return }
        absent[watcher.connection.peer.uid] = nil
        joinEverybody()
        do throws(WireError) {
            try offerWhatIsReady(watcher.wants)
        } catch {
            Log.warning("what is ready could not be offered to a new presenter: \(error.message)")
        }
    }

    private func noteKiosks() {
        let places = watchers.compactMap(\.kioskPlace)
        ledger.adjust { $0.setKiosks(places) }
    }

    /// A connection has ended: what it was showing becomes ready again, or is answered if it held an answer.
    func connectionEnded(_ client: ObjectIdentifier) {
        giveBack(client)
    }

    private func giveBack(_ holder: ObjectIdentifier) {
        for (id, answeredBy) in leases.removeAll(of: holder) {
            do throws(WireError) {
                try ledger.decide(needing: .presentation(id)) { engine, changes, now throws(WireError) in
                    if let answeredBy, engine.answerHeld(id, source: answeredBy, now: now, into: &changes) { return }
                    _ = try engine.release(id, visibleTo: nil, now: now, into: &changes)
                }
            } catch {
                // Another client has closed it meanwhile, which is as good.
                Log.debug("a survey was not given back: \(error.message)")
            }
        }
    }

    func lease(_ id: Identifier, to connection: ClientConnection) {
        leases.add(id, to: ObjectIdentifier(connection), age: ledger.restarts)
    }

    func isLeased(_ id: Identifier, to connection: ClientConnection) -> Bool {
        leases.isHeld(id, by: ObjectIdentifier(connection))
    }

    /// Notes who has answered a survey whose answer is held; nil: the answer is not held any more.
    func setHold(_ source: Source?, on id: Identifier, by connection: ClientConnection) {
        leases.setHold(source, on: id, by: ObjectIdentifier(connection))
    }

    /// A presenter has given a survey back. It is not sent there again, nor shown there any more, whatever the store
    /// makes of that.
    func pass(_ id: Identifier, by connection: ClientConnection) {
        for watcher in watchers where watcher.connection === connection { watcher.terms.passed.insert(id) }
        leases.end(id, by: ObjectIdentifier(connection))
    }

    func offerWhatIsReady(_ isMeant: (Scope) -> Bool) throws(WireError) {
        for scope in try ledger.lookUp({ reader throws(StoreError) in try reader.scopesWithReady() })
        where isMeant(scope) {
            offer(in: scope)
        }
    }

    /// Whether a presenter shows ready surveys of a scope; then no notification is shown.
    func hasPresenter(in scope: Scope) -> Bool { watchers.contains { $0.isPresenter && $0.wants(scope) } }

    /// Whether something would show what becomes ready in a scope: a presenter, or a notification, as far as is known.
    func isSomebodyThere(in scope: Scope) -> Bool { hasPresenter(in: scope) || hooks.canTell }

    /// Sends the next ready survey of a scope to a presenter: the presenter who came last and shows nothing, or, where
    /// there is no presenter at all, the notify hook.
    func offer(in scope: Scope) {
        let presenter = watchers.last { $0.isPresenter && $0.wants(scope) && !$0.isBusy }
        // A kiosk takes what is ready by itself, but not what has to wait until quiet hours are over.
        let isKiosks = presenter == nil && watchers.contains { $0.isKiosk && $0.wants(scope) }
        if presenter == nil, !isKiosks, hasPresenter(in: scope) { return }
        let passed = presenter?.terms.passed ?? hooks.settled
        do throws(WireError) {
            try ledger.decide(needing: .offers(in: scope)) { engine, changes, now in
                engine.holdWhileQuiet(in: scope, now: now, into: &changes)
                return (engine.offer(in: scope, except: passed, now: now), engine.quietBegins(in: scope, now: now))
            }.note { found throws(WireError) in
                let (next, quietAt) = found
                lookAgain(at: quietAt)
                guard let next, !isKiosks else { return }
                if let presenter {
                    try present(next, to: presenter)
                } else if let ready = try presentation(next.id), ready.value.state == .ready {
                    // Else it is not on disk yet; the commit that puts it there leads here again.
                    hooks.start(for: ready)
                    reminders.follow(ready.value, survey(of: ready.value))
                }
            }
        } catch {
            Log.warning("a survey could not be offered: \(error.message)")
        }
    }

    /// Reminds a person of a survey, by the hook, or by a presenter that had given it back.
    func tellAgain(_ ready: Stored<Presentation>) {
        reminders.follow(ready.value, survey(of: ready.value))
        if hasPresenter(in: ready.value.scope) {
            for watcher in watchers { watcher.terms.passed.remove(ready.value.id) }
            offer(in: ready.value.scope)
        } else {
            hooks.remind(of: ready)
        }
    }

    private func present(_ presentation: Presentation, to presenter: SurveySubscription) throws(WireError) {
        let (peer, terms) = (presenter.connection.peer, presenter.terms)
        let source = Source(uid: peer.uid, pid: peer.credentials.pid)
        try ledger.decide(needing: .scope(presentation.scope)) { engine, changes, now throws(WireError) in
            _ = try engine.present(
                presentation.id, visibleTo: peer.visibleUID, locale: terms.locale, on: terms.surface, source: source,
                now: now, into: &changes)
        }
        lease(presentation.id, to: presenter.connection)
        presenter.expect(presentation.id)
    }

    /// Offers surveys of other apps to a presenter for all apps that was busy.
    func offerElsewhere(than scopes: Set<Scope>) {
        do throws(WireError) {
            try offerWhatIsReady { scope in
                !scopes.contains(scope) && watchers.contains { $0.isPresenter && $0.wants(scope) }
            }
        } catch {
            Log.warning("what waits in other apps could not be offered: \(error.message)")
        }
    }
}
