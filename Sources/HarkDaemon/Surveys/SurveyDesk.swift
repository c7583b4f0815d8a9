import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Sees that surveys get to people: arms the timer for the earliest that is due, offers what is ready to a presenter or,
/// where there is none, to the notify hook, and tells everybody who subscribed what becomes of them.
///
/// It decides nothing about surveys itself; the engine does. It reacts to what has been committed, so a crash at any
/// moment leaves nothing that the next start does not find in the store.
@DaemonActor
final class SurveyDesk: Desk {
    let ledger: Ledger
    private let loop: EventLoop
    let source: DocumentSource<SurveyConfiguration>
    private(set) lazy var hooks = NotifyHooks(desk: self, loop: loop)
    private let gone: GoneSurveys
    private var passedOver = PassedOverSurveys()
    private var watchers: [SurveySubscription] = []
    /// Who shows what, so that it can be given back when the connection ends.
    private var leases: [Identifier: Lease] = [:]
    private var timer: TimerSource?
    /// While the machine's clock is not believed: when to look again.
    private var doubt: TimerSource?
    /// How often that is; a time server may have vouched for the clock meanwhile.
    private static let doubtMilliseconds: Int64 = 60_000
    private var isFiring = false
    /// Where something happened that may let a survey be shown, in order and each once.
    private var toOffer: ArraySlice<Scope> = []
    private var known: Set<Scope> = []
    private var isOffering = false
    private var hasFailed = false

    private struct Lease {
        let holder: ObjectIdentifier
        /// `Ledger.restarts` when it was decided on.
        let age: Int
        /// Whether it is on disk that the survey is shown; what is told until then is about somebody before.
        var isStored = false
        /// The client has given it back.
        var isOver = false
    }

    init(ledger: Ledger, loop: EventLoop, source: DocumentSource<SurveyConfiguration>) {
        self.ledger = ledger
        self.loop = loop
        self.source = source
        gone = GoneSurveys(ledger: ledger)
    }

    /// What nobody shows is ready again, what became due meanwhile fires.
    func begin() throws {
        if timer == nil {
            timer = try loop.timer(clock: .realtime, accuracyMicroseconds: 10_000) { [weak self] in self?.fire() }
            doubt = try loop.timer(clock: .boottime, accuracyMicroseconds: 10_000) { [weak self] in self?.fire() }
            source.onChange = { [weak self] configuration throws(WireError) in try self?.configure(configuration) }
            source.begin()
        }
        hasFailed = false
        try takeBackWhatNobodyShows()
        try offerWhatIsReady { _ in true }
        gone.look()
        fire()
    }

    /// The daemon ends: nothing is shown by it any more.
    func end() {
        timer?.cancel()
        timer = nil
        doubt?.cancel()
        doubt = nil
        source.end()
        hooks.stop()
    }

    private func configure(_ configuration: SurveyConfiguration) throws(WireError) {
        try ledger.decide { engine, changes, now in
            engine.configure(configuration, now: now, into: &changes)
        }
        gone.look()
    }

    func setDebugMode(_ mode: DebugMode) {
        ledger.setDebugMode(mode)
    }

    // MARK: After a commit

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        passedOver.note(changes.value.passedOver)
        func note(_ scope: Scope) {
            if known.insert(scope).inserted { toOffer.append(scope) }
        }
        var isSomebodyFree = false
        for row in changes.value.rows {
            switch row {
            case .putPresentation(let presentation):
                if tell(changes.map { _ in presentation }) { isSomebodyFree = true }
                note(presentation.scope)
            case .setCurrent(let scope, _): note(scope)
            case .removeSurveyState(_, let ended):
                for presentation in ended {
                    if tell(changes.map { _ in presentation }) { isSomebodyFree = true }
                    note(presentation.scope)
                }
                hooks.review()
            default: break
            }
        }
        let scopes = known
        offerSome()
        if isSomebodyFree { offerElsewhere(than: scopes) }
        rearm()
    }

    /// Offers what there is in the scopes something happened in, a slice of the loop at a time.
    private func offerSome() {
        guard !ledger.settings.surveys.surveys.isEmpty else {
            // What is open of surveys that are gone is cancelled, not shown.
            toOffer = []
            known = []
            return
        }
        let slice = LoopSlice(microseconds: 2_000)
        while let scope = toOffer.popFirst() {
            known.remove(scope)
            offer(in: scope)
            if slice.isOver { break }
        }
        guard !toOffer.isEmpty, !isOffering else { return }
        isOffering = true
        DaemonActor.post { [weak self] in
            self?.isOffering = false
            self?.offerSome()
        }
    }

    /// - Returns: whether somebody who showed it shows nothing now.
    private func tell(_ told: Stored<Presentation>) -> Bool {
        let presentation = told.value
        let lease = leases[presentation.id]
        let isShown = presentation.state == .presented
        if isShown { leases[presentation.id]?.isStored = true }
        // What was given back may have been taken again since, by whoever holds it now.
        let isOver = !isShown && (!presentation.state.isOpen || lease?.isStored ?? false)
        if isOver { leases[presentation.id] = nil }
        hooks.follow(presentation)
        let survey = survey(of: presentation)
        for watcher in watchers { watcher.tell(told, survey) }
        return isOver && lease != nil
    }

    /// What waits in other apps for a presenter of them all that was busy.
    private func offerElsewhere(than scopes: Set<Scope>) {
        do throws(WireError) {
            try offerWhatIsReady { scope in
                !scopes.contains(scope) && watchers.contains { $0.isPresenter && $0.wants(scope) }
            }
        } catch {
            Log.warning("what waits in other apps could not be offered: \(error.message)")
        }
    }

    func survey(of presentation: Presentation) -> Survey? {
        ledger.settings.surveys.survey(presentation.survey)
    }

    /// A presentation as the store has it; nil when there is none.
    func presentation(_ id: Identifier) throws(WireError) -> Stored<Presentation>? {
        let found = try ledger.stored { reader throws(StoreError) in try reader.presentation(id) }
        return found.value.map { presentation in found.map { _ in presentation } }
    }

    // MARK: Timer

    private func rearm() {
        guard !isFiring, !hasFailed else { return }
        timer?.disarm()
        doubt?.disarm()
        guard let due = ledger.dueAt else { return }
        let lag = ledger.ageClock.lag
        if lag == 0 {
            timer?.arm(atMicroseconds: UInt64(max(0, due.milliseconds)) * 1_000)
        } else {
            let rest = due.milliseconds - (ledger.now.milliseconds - lag)
            doubt?.arm(afterMicroseconds: UInt64(min(max(0, rest), SurveyDesk.doubtMilliseconds)) * 1_000)
        }
    }

    /// The clock has jumped ahead and is not believed, or is believed again.
    func lookAtClock() { fire() }

    var timerName: String { "survey" }
    var dueAt: Timestamp? { ledger.dueAt }

    /// Carries out what is due, a helping a turn.
    private func fire() {
        guard !isFiring else { return }
        isFiring = true
        DaemonActor.task { [self] in
            defer {
                isFiring = false
                rearm()
            }
            do throws(WireError) {
                while true {
                    guard let due = ledger.dueAt, due <= ledger.ageClock.now else { return }
                    let now = ledger.now
                    let hasMore = try await ledger.decideBringing(
                        { reader, engine throws(StoreError) in
                            try reader.bringDue(at: now, to: &engine)
                        },
                        then: { engine, changes, _ throws(WireError) in engine.fire(now: now, into: &changes) }
                    ).stored()
                    if !hasMore.value { return }
                }
            } catch {
                // `begin` comes when the store takes commits again.
                hasFailed = true
                Log.warning("what is due could not be carried out, and waits for the store: \(error.message)")
            }
        }
    }

    private func takeBackWhatNobodyShows() throws(WireError) {
        leases = leases.filter { !$0.value.isOver }
        // What was to be shown when the store refused it is ready.
        for (id, lease) in leases where lease.age != ledger.restarts {
            let isShown = try presentation(id)?.value.state == .presented
            leases[id] = isShown ? Lease(holder: lease.holder, age: ledger.restarts, isStored: true) : nil
        }
        let leased = Set(leases.keys)
        try ledger.decideBringing(
            { reader, engine throws(StoreError) in try reader.bringShown(to: &engine) },
            then: { engine, changes, now throws(WireError) in
                engine.releaseShown(except: leased, now: now, into: &changes)
            })
    }

    // MARK: Presenters

    func add(_ watcher: SurveySubscription) {
        watchers.append(watcher)
        guard watcher.isPresenter else { return }
        do throws(WireError) {
            try offerWhatIsReady(watcher.wants)
        } catch {
            Log.warning("what is ready could not be offered to a new presenter: \(error.message)")
        }
    }

    func remove(_ watcher: SurveySubscription) {
        watchers.removeAll { $0 === watcher }
        giveBack(ObjectIdentifier(watcher.connection))
    }

    /// A connection has ended: what it was showing becomes ready again.
    func connectionEnded(_ connection: Connection) {
        giveBack(ObjectIdentifier(connection))
    }

    private func giveBack(_ holder: ObjectIdentifier) {
        for (id, lease) in leases where lease.holder == holder {
            leases[id] = nil
            do throws(WireError) {
                try ledger.decideBringing(
                    { reader, engine throws(StoreError) in
                        try reader.bringPresentation(id, to: &engine)
                    },
                    then: { engine, changes, now throws(WireError) in
                        _ = try engine.release(id, visibleTo: nil, now: now, into: &changes)
                    })
            } catch {
                // It has been closed by somebody else meanwhile, which is as good.
                Log.debug("a survey was not given back: \(error.message)")
            }
        }
    }

    func lease(_ id: Identifier, to connection: Connection) {
        leases[id] = Lease(holder: ObjectIdentifier(connection), age: ledger.restarts)
    }

    func isLeased(_ id: Identifier, to connection: Connection) -> Bool {
        leases[id].map { $0.holder == ObjectIdentifier(connection) && !$0.isOver } ?? false
    }

    /// A presenter has given a survey back: it is not brought there again, nor shown there any more, whatever the store
    /// makes of that.
    func pass(_ id: Identifier, by connection: Connection) {
        for watcher in watchers where watcher.connection === connection { watcher.pass(id) }
        if isLeased(id, to: connection) { leases[id]?.isOver = true }
    }

    private func offerWhatIsReady(_ isMeant: (Scope) -> Bool) throws(WireError) {
        for scope in try ledger.lookUp({ reader throws(StoreError) in try reader.scopesWithReady() })
        where isMeant(scope) {
            offer(in: scope)
        }
    }

    /// Whether somebody is there to show what becomes ready in a scope; then no notification is shown.
    func hasPresenter(in scope: Scope) -> Bool { watchers.contains { $0.isPresenter && $0.wants(scope) } }

    /// Brings the next ready survey of a scope to somebody: the presenter who came last and shows nothing, or, where there
    /// is no presenter at all, the notify hook.
    func offer(in scope: Scope) {
        let presenter = watchers.last { $0.isPresenter && $0.wants(scope) && !$0.isBusy }
        if presenter == nil, hasPresenter(in: scope) { return }
        let passed = presenter?.passed ?? hooks.settled
        do throws(WireError) {
            try ledger.decideBringing(
                { reader, engine throws(StoreError) in
                    try reader.bringOffers(in: scope, to: &engine)
                },
                then: { engine, _, _ throws(WireError) in engine.offer(in: scope, except: passed) }
            ).note { next throws(WireError) in
                guard let next else { return }
                if let presenter {
                    try present(next, to: presenter)
                } else if let ready = try presentation(next.id), ready.value.state == .ready {
                    // Else it is not on disk yet; the commit that puts it there leads here again.
                    hooks.start(for: ready)
                }
            }
        } catch {
            Log.warning("a survey could not be offered: \(error.message)")
        }
    }

    private func present(_ presentation: Presentation, to presenter: SurveySubscription) throws(WireError) {
        let peer = presenter.connection.peer
        let source = Source(uid: peer.uid, pid: peer.credentials.pid)
        try ledger.decide(touching: presentation.scope) { engine, changes, now throws(WireError) in
            _ = try engine.present(
                presentation.id, visibleTo: peer.visibleUID, locale: presenter.locale, source: source, now: now,
                into: &changes)
        }
        lease(presentation.id, to: presenter.connection)
        presenter.expect(presentation.id)
    }
}
