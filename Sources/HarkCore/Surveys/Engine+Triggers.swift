internal import HarkWire

/// The triggers of surveys.
extension Engine {
    /// Whether all data for recording an event of this name is loaded, because no survey, execution or watch listens to it.
    /// Called for every event.
    package mutating func isReady(toRecord event: String, in scope: Scope) -> Bool {
        use(scope) && executions.knowsEvents && !mayHear(event) && !surveys.hasListeners(to: event)
            && watches.isIndifferent(to: event, of: scope.uid)
    }

    /// The user whose state a record of this event needs (`admit`); nil if there is none, or if it is loaded.
    ///
    /// The scope must have been admitted.
    mutating func surveyUser(
        recording event: String, in scope: Scope, userId: String? = nil
    ) -> UserKey? {
        guard surveys.hasListeners(to: event) else { return nil }
        let user = surveyUser(in: scope, userId: userId)
        return lack(of: user) == nil ? nil : user
    }

    /// Whether a record of this event needs the counters of a scope, and they are not loaded.
    mutating func needsCounters(recording event: String, in scope: Scope) -> Bool {
        guard let listeners = surveys.configuration.listeners(to: event), !counters.use(scope) else { return false }
        return listeners.contains { surveys.configuration.surveys[$0].needsCounters }
    }

    /// Whether an event of this name may make its user join a schedule that uses the user's answers to forms.
    func needsForms(recording event: String) -> Bool {
        let listeners = surveys.configuration.listeners(to: event) ?? []
        return listeners.contains { surveys.configuration.surveys[$0].trigger.schedule?.needsForms ?? false }
    }

    /// Whether the events that surveys record need the counters of a scope, and they are not loaded.
    mutating func needsCountersForSurveys(in scope: Scope) -> Bool {
        surveys.configuration.followsWithCounters && !counters.use(scope)
    }

    /// The user of a survey in a scope: the user of the current session, or of the one that would start.
    func surveyUser(in scope: Scope, userId: String? = nil) -> UserKey {
        sessions.current(scope).map { UserKey($0.identity) } ?? UserKey(uid: scope.uid, userId: userId)
    }

    /// Handles an event that was recorded.
    ///
    /// - Parameters:
    ///   - at: when it happened, if that was not now.
    ///   - isUnattended: whether it is about no user, so that the person present is asked.
    ///   - kept: its properties that may be kept with a showing; nil: all.
    mutating func trigger(
        _ event: String, _ properties: Properties, in session: SessionIdentity, _ isUnattended: Bool = false,
        at: Timestamp? = nil, keeping kept: Properties? = nil, depth: Int = 0, source: Source, now: Timestamp,
        into changes: inout Changes
    ) {
        guard surveys.hasListeners(to: event) else { return }
        let listeners = surveys.configuration.listeners(to: event) ?? []
        var occasion = isUnattended ? occasion(in: session.scope) : SurveyOccasion(session, depth: depth)
        occasion.trigger = kept ?? properties
        let property = properties.lookup(times: max(listeners.count, 1))
        let at = min(at ?? now, now)
        var work = 0
        if !isVisitor(occasion.user, in: occasion.scope) {
            remember(event, property, of: occasion.user, at: at, now: now, &work, into: &changes)
        }
        // The survey that the event triggers is not cancelled by it.
        cancel(after: event, property, of: occasion.user, at: at, source: source, now: now, &work, into: &changes)
        guard !listeners.isEmpty else { return }
        scheduleFirst(
            of: listeners, event, property, on: occasion, source: source, now: now, after: work, into: &changes)
    }

    /// Handles an event that a survey has recorded: it is an event like any other, but chains of them are limited. Free texts of
    /// answers are not kept with a showing, because they may have to be removed.
    mutating func follow(_ event: SurveyEvent, source: Source, now: Timestamp, into changes: inout Changes) {
        guard event.depth < SurveyEvents.maxDepth else { return }
        fireListeners(
            to: event.name, event.properties, event.recorded, of: event.session, depth: event.depth, source: source,
            now: now, into: &changes)
        guard surveys.hasListeners(to: event.name) else { return }
        trigger(
            event.name, event.properties, in: event.session,
            keeping: event.properties.without { event.answers.isFreeText(in: $0) }, depth: event.depth + 1,
            source: source, now: now, into: &changes)
    }

    /// Handles a counter that has changed.
    mutating func trigger(
        changed counter: Counter, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        guard let listeners = surveys.configuration.listeners(toCounter: counter.name) else { return }
        let occasion = occasion(in: counter.scope)
        scheduleFirst(of: listeners, counter.name.text, nil, on: occasion, source: source, now: now, into: &changes)
    }

    /// Asks a survey without its trigger, and so without its delay.
    ///
    /// - Returns: the reason why it was not asked.
    mutating func raise(
        survey id: String, in scope: Scope, depth: Int = 0, source: Source, now: Timestamp, into changes: inout Changes
    ) -> String? {
        guard let survey = surveys.configuration.survey(id) else { return Engine.unknownSurvey }
        var occasion = occasion(in: scope)
        occasion.depth = depth
        if waiting(on: occasion).contains(ExactName(id)) { return "it waits to be asked already" }
        if let lack = lackOfRoom(for: occasion.user) { return lack }
        mendGating(of: occasion.user, now: now, into: &changes)
        if let check = obstacle(to: survey, on: occasion, now: now) {
            return "its limits do not allow it: \(check.rawValue)"
        }
        schedule(survey, on: occasion, delay: 0, source: source, now: now, into: &changes)
        return nil
    }

    static let unknownSurvey = "there is no such survey in the configuration"

    private func occasion(in scope: Scope) -> SurveyOccasion {
        SurveyOccasion(scope: scope, user: surveyUser(in: scope), session: sessions.current(scope)?.identity)
    }

    /// Schedules the first survey whose trigger matches and that may be shown. One that waits already for this user is skipped.
    ///
    /// - Parameters:
    ///   - name: the name of the event or counter they listen to.
    ///   - properties: the properties of the event; nil if it is no event.
    ///   - spent: the cost of the event so far, in comparisons.
    private mutating func scheduleFirst(
        of places: [Int], _ name: String, _ properties: ((String) -> JSONValue?)?, on occasion: SurveyOccasion,
        source: Source, now: Timestamp, after spent: Int = 0, into changes: inout Changes
    ) {
        let waiting = waiting(on: occasion)
        var isMended = false
        var work = spent
        /// The survey that was scheduled; later ones are only tested to report that they lost their turn.
        var taker: String?
        for place in places {
            let survey = surveys.configuration.surveys[place]
            work += surveys.configuration.work[place].comparisons(
                of: survey.trigger, properties ?? { _ in nil },
                counter: { counters.counter(ExactName($0), in: occasion.scope)?.value })
            guard work <= TriggerWork.most else {
                if taker == nil { changes.passedOver.append(PassedOver(survey: survey.id, name: name)) }
                return
            }
            guard properties.map({ survey.trigger.condition.holds($0) }) ?? true,
                survey.trigger.counters.map({ counters.holds($0, in: occasion.scope) }) ?? true
            else { continue }
            guard !waiting.contains(ExactName(survey.id)) else {
                changes.note(.waits, of: survey)
                continue
            }
            if let schedule = survey.trigger.schedule {
                guard taker == nil else { continue }
                work += TriggerWork.limits
                join(survey, schedule, properties, on: occasion, now: now, into: &changes)
                continue
            }
            if !isMended { mendGating(of: occasion.user, now: now, into: &changes) }
            isMended = true
            work += TriggerWork.limits + survey.audience.weight
            let delay = survey.trigger.delay > 0 ? surveys.debug.delay ?? survey.trigger.delay : 0
            let obstacle = obstacle(to: survey, on: occasion, now: now)
            // Quiet hours may be over once a delay is over.
            if let obstacle, obstacle != .quietHours || delay == 0 {
                changes.note(.stopped(obstacle), of: survey)
                continue
            }
            if let taker {
                changes.note(.turnTaken(by: taker), of: survey)
                continue
            }
            if let lack = lackOfRoom(for: occasion.user) {
                changes.passedOver.append(PassedOver(survey: survey.id, name: name, lack: lack))
                return
            }
            schedule(survey, on: occasion, delay: delay, source: source, now: now, into: &changes)
            guard changes.verdicts != nil else { return }
            changes.note(.scheduled, of: survey)
            taker = survey.id
        }
    }

    func obstacle(to survey: Survey, on occasion: SurveyOccasion, now: Timestamp) -> SurveyGate.Check? {
        gate(
            survey, occasion.user, in: occasion.scope, session: occasion.session?.id, for: occasion.trigger, now: now
        ).obstacle()
    }

    /// The presentation of a survey that waits since this session, or since another one and is about to be shown in this one.
    func pending(_ survey: String, on occasion: SurveyOccasion) -> Presentation? {
        surveys.state(of: occasion.user)?.presentations.first {
            $0.prompt == nil && $0.survey.hasSameBytes(as: survey) && Engine.isWaiting($0, on: occasion)
        }
    }

    /// All surveys with such a presentation.
    private func waiting(on occasion: SurveyOccasion) -> Set<ExactName> {
        var waiting: Set<ExactName> = []
        for presentation in surveys.state(of: occasion.user)?.presentations ?? []
        where presentation.prompt == nil && Engine.isWaiting(presentation, on: occasion) {
            waiting.insert(ExactName(presentation.survey))
        }
        return waiting
    }

    private static func isWaiting(_ presentation: Presentation, on occasion: SurveyOccasion) -> Bool {
        guard presentation.state.isOpen else { return false }
        return presentation.origin == occasion.session?.id
            || (presentation.state != .scheduled && presentation.scope == occasion.scope)
    }

    /// The most surveys that may wait for a user; each is tested with every event that may trigger another.
    package static let maxWaiting = 1_000

    /// Why no other survey may wait for a user; nil: one may.
    func lackOfRoom(for user: UserKey) -> String? {
        guard surveys.state(of: user)?.presentations.count ?? 0 < Engine.maxWaiting else {
            return "\(Engine.maxWaiting) surveys wait for this user already"
        }
        return lack(of: .presentations, user.uid, Amount(count: 1))?.words
    }

    /// Without a session an anonymous one starts, as with an event.
    private mutating func schedule(
        _ survey: Survey, on occasion: SurveyOccasion, delay: Int64, source: Source, now: Timestamp,
        into changes: inout Changes
    ) {
        let session =
            occasion.session
            ?? beginSession(
                occasion.scope, userId: occasion.user.userId, isImplicit: true, source: source, now: now,
                into: &changes
            ).identity
        var presentation = Presentation(
            id: identifiers.next(at: now), survey: survey.id, user: occasion.user, app: occasion.scope.app,
            origin: session.id, createdAt: now, state: .scheduled, dueAt: believed(now).adding(milliseconds: delay))
        presentation.depth = occasion.depth
        let kept = occasion.trigger.kept(first: survey.cancelOn.flatMap(\.same) + (survey.quota?.properties ?? []))
        // It is asked without the properties if there is no room for them.
        if lack(of: .presentations, occasion.user.uid, Amount(bytes: kept.byteCount)) == nil {
            presentation.trigger = kept
        }
        give(&presentation, survey, on: occasion)
        draw(survey, for: &presentation, now: now, into: &changes)
        if delay == 0 {
            if let until = quiet(survey, of: occasion.user.uid, at: believed(now)) {
                presentation.dueAt = until
            } else {
                presentation.becomeReady(survey.limits, at: now)
            }
        }
        put(presentation, into: &changes)
    }
}

/// The place and the user of an event that may trigger a survey.
struct SurveyOccasion {
    let scope: Scope
    let user: UserKey
    /// nil: there is none yet.
    let session: SessionIdentity?
    /// The number of surveys that triggered each other up to here.
    var depth = 0
    /// The properties of the event, if it is one.
    var trigger = Properties.none

    init(scope: Scope, user: UserKey, session: SessionIdentity?) {
        self.scope = scope
        self.user = user
        self.session = session
    }

    init(_ session: SessionIdentity, depth: Int) {
        self.init(scope: session.scope, user: UserKey(session), session: session)
        self.depth = depth
    }
}

/// A survey that was not scheduled, and neither were those after it. Its event is recorded all the same.
package struct PassedOver: Sendable, Equatable {
    package let survey: String
    /// The event or counter it listens to.
    package let name: String
    /// Why it may not wait; nil: the surveys before it had taken too long (`TriggerWork.most`).
    package let lack: String?

    package init(survey: String, name: String, lack: String? = nil) {
        self.survey = survey
        self.name = name
        self.lack = lack
    }
}
