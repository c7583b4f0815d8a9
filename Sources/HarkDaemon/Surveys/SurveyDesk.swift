import HarkCore
import HarkFleet
import HarkHub
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Brings surveys to people: arms the timer for the earliest due survey, offers ready surveys to a presenter or, if
/// there is none, to the notify hook, and notifies subscribers of all changes.
///
/// It decides nothing about surveys itself; the engine does. It reacts to what has been committed, so a crash at any
/// moment leaves nothing that the next start does not find in the store.
@DaemonActor
final class SurveyDesk: ConfiguredDesk {
    let ledger: Ledger
    private let loop: EventLoop
    let source: DocumentSource<SurveyConfiguration>
    private(set) lazy var hooks = NotifyHooks(desk: self, loop: loop)
    private(set) lazy var reminders = ReminderClock(ledger: ledger, loop: loop)
    let options: DaemonOptions
    private var origin: DocumentOrigin
    private let gone: GoneSurveys
    private let past: PastEvents
    private var passedOver = PassedOverSurveys()
    private let prompts: OpenPrompts
    let topic = Topic<SurveyTerms>()
    var watchers: [SurveySubscription] { topic.subscriptions }
    /// Who shows what, so that it can be given back when the connection ends.
    var leases = SurveyLeases()
    private var timer: TimerSource?
    /// When quiet hours begin for something that is ready, and what looks then.
    private var quietAt: Timestamp?
    private var quietTimer: TimerSource?
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
    /// Accounts whose person is away, as their presenter has said. Removed once a presenter of the account subscribes.
    var absent: [UInt32: Absence] = [:]

    init(ledger: Ledger, loop: EventLoop, options: DaemonOptions, _ settings: Configuration) {
        self.ledger = ledger
        self.loop = loop
        self.options = options
        let own = settings.surveys.absolute(in: options.paths.configuration)
        origin = settings.origin(of: .surveys, in: options.paths) ?? own
        source = DocumentSource(
            .surveys, from: origin, usual: Configuration().surveys.absolute(in: options.paths.configuration),
            copyPath: options.paths.state + "/surveys.good.json", loop: loop, clock: ledger.clock)
        gone = GoneSurveys(ledger: ledger)
        past = PastEvents(ledger: ledger)
        prompts = OpenPrompts(ledger: ledger)
        topic.onChange = { [weak self] in self?.follow($0, hasBegun: $1) }
    }

    func configure(_ settings: Configuration) {
        origin = settings.origin(of: .surveys, in: options.paths) ?? origin
        setDebugMode(settings.debug)
        hooks.settings = settings.notify
        hooks.socketPath = options.paths.socket
        // The machine's daemon has no desktop to show anything on; `hark agent` does it in each user's session.
        hooks.settings.notifier = options.isSystem ? nil : options.notifier
    }

    func reloadDocuments() async { await source.reload(from: origin) }

    var troubles: [Trouble] { source.errors.map { ("surveys", $0) } + unseen }

    /// Surveys that nobody shows are ready again. Surveys that became due meanwhile fire.
    func begin() throws {
        if timer == nil {
            timer = try loop.timer(clock: .realtime, accuracyMicroseconds: 10_000) { [weak self] in self?.fire() }
            quietTimer = try loop.timer(clock: .realtime, accuracyMicroseconds: 10_000) { [weak self] in
                self?.quietAt = nil
                self?.lookAtWhatIsReady()
            }
            doubt = try loop.timer(clock: .boottime, accuracyMicroseconds: 10_000) { [weak self] in self?.fire() }
            reminders.onReminder = { [weak self] in self?.tellAgain($0) }
            source.onChange = { [weak self] configuration throws(WireError) in try self?.take(configuration) }
            source.begin()
        }
        hasFailed = false
        try ledger.decide(needing: .eventRules) { engine, changes, _ in engine.countEvents(into: &changes) }
        try prompts.begin()
        try takeBackWhatNobodyShows()
        try offerWhatIsReady { _ in true }
        gone.look()
        past.look()
        joinEverybody()
        fire()
    }

    func stop() { past.stop() }

    /// The daemon ends: nothing is shown by it any more.
    func end() {
        timer?.cancel()
        timer = nil
        doubt?.cancel()
        doubt = nil
        quietTimer?.cancel()
        quietTimer = nil
        source.end()
        reminders.end()
        hooks.stop()
    }

    /// An account has muted a survey.
    func lookForUnwanted() { gone.look() }

    private func take(_ configuration: SurveyConfiguration) throws(WireError) {
        var configuration = configuration
        configuration.isFromAfar = source.isFromAfar
        configuration.isFromHub = source.isKept
        try ledger.decide(needing: .eventRules) { engine, changes, now in
            engine.configure(configuration, now: now, into: &changes)
        }
        gone.look()
        past.look()
        joinEverybody()
    }

    func setDebugMode(_ mode: DebugMode) {
        ledger.adjust { $0.setDebugMode(mode) }
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
            case .survey(.putPresentation(let presentation)):
                prompts.follow(presentation)
                if tell(changes.map { _ in presentation }) { isSomebodyFree = true }
                note(presentation.scope)
            case .session(.setCurrent(let scope, _)): if !scope.isUnattended { note(scope) }
            case .survey(.remove(_, let ended)):
                for presentation in ended {
                    prompts.follow(presentation)
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
        if ledger.settings.surveys.surveys.isEmpty {
            // Open showings of removed surveys are cancelled, not shown.
            toOffer = toOffer.filter { prompts.contains($0) }[...]
            known = Set(toOffer)
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

    /// - Returns: Whether a presenter that showed it shows nothing now.
    private func tell(_ told: Stored<Presentation>) -> Bool {
        let presentation = told.value
        let isFree = leases.follow(presentation)
        hooks.follow(presentation)
        let survey = survey(of: presentation)
        reminders.follow(presentation, survey)
        for watcher in watchers { watcher.tell(told, survey) }
        noteAbsent(presentation)
        return isFree
    }

    /// The content of a presentation, with the absolute paths of images.
    func survey(of presentation: Presentation) -> Survey? {
        presentation.prompt?.survey
            ?? ledger.settings.surveys.survey(presentation.survey)?.withImages { options.paths.inConfiguration($0) }
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

    /// Something that is ready is to wait from then on.
    func lookAgain(at time: Timestamp?) {
        guard let time, time < quietAt ?? .latest else { return }
        quietAt = time
        quietTimer?.arm(atMicroseconds: UInt64(max(0, time.milliseconds)) * 1_000)
    }

    /// Quiet hours have begun or changed, so ready surveys wait, or no longer wait.
    func lookAtWhatIsReady() {
        do throws(WireError) {
            try offerWhatIsReady { _ in true }
        } catch {
            Log.warning("what is ready could not be looked at: \(error.message)")
        }
    }

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
                    let hasMore = try await ledger.decide(needing: .due(at: now)) { engine, changes, _ in
                        engine.fire(now: now, into: &changes)
                    }.stored()
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
        try leases.review(after: ledger.restarts) { id throws(WireError) in
            try presentation(id)?.value.state == .presented
        }
        let leased = leases.ids
        try ledger.decide(needing: .shown) { engine, changes, now in
            engine.releaseShown(except: leased, now: now, into: &changes)
        }
    }
}
