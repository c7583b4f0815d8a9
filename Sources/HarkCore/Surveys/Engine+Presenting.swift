package import HarkWire

/// From ready to shown, and back again.
extension Engine {
    /// The presentation to show next in a scope; nil while one is shown there.
    ///
    /// It belongs to the user of the current session: the earliest of the highest priority. In a scope without a session no user
    /// is known to be there, and the earliest of any user is offered. The scope and the users must have been admitted.
    ///
    /// - Parameter passed: presentations to skip, because a presenter has given them back.
    package func offer(in scope: Scope, except passed: Set<Identifier> = [], now: Timestamp) -> Presentation? {
        guard surveys.shown(in: scope) == nil else { return nil }
        let ready = (waiting(in: scope) + prompts(in: scope)).filter {
            $0.state == .ready && $0.scope == scope && !$0.isVisitors && !passed.contains($0.id)
                && definition(of: $0) != nil && mayBeOffered($0, now: now)
        }
        // A program waits for the answer to a prompt, so prompts have the first rank.
        return ready.map { (rank($0), $0.dueAt, $0) }.min { ($0.0, $0.1) < ($1.0, $1.1) }?.2
    }

    /// The lowest rank comes first.
    private func rank(_ presentation: Presentation) -> Int {
        presentation.prompt == nil ? -(surveys.configuration.survey(presentation.survey)?.priority ?? 0) : Int.min
    }

    /// The presentations that may be shown in a scope to the person there, ready or not.
    func waiting(in scope: Scope) -> [Presentation] {
        guard let current = sessions.current(scope)?.identity else { return surveys.allOpen }
        return surveys.state(of: UserKey(current))?.presentations ?? []
    }

    /// Whether its person wants to be asked now, and its quota allows it.
    func mayBeOffered(_ presentation: Presentation, ignoringQuota: Bool = false, now: Timestamp) -> Bool {
        guard !isMuted(presentation, now: now), quiet(presentation, now: now) == nil else { return false }
        guard presentation.prompt == nil, let survey = surveys.configuration.survey(presentation.survey) else {
            return true
        }
        let gate = gate(
            survey, presentation.user, in: presentation.scope, session: nil,
            for: presentation.trigger, now: now)
        guard ignoringQuota || gate.debug.bypassesGating || gate.quota?.hasRoom ?? true else { return false }
        return presentation.presentedAt != nil || SurveyGate.Check.ofPerson.allSatisfy { gate.passes($0) }
    }

    /// The prompts of programs for the account, whichever user is present.
    private func prompts(in scope: Scope) -> [Presentation] {
        surveys.state(of: UserKey(uid: scope.uid, userId: nil))?.presentations.filter { $0.prompt != nil } ?? []
    }

    /// Shows a presentation: counts the attempt and records it as an event, both the first time only.
    ///
    /// A user whose session is not the current one gets a session next to it, which ends when the survey is no longer shown.
    ///
    /// - Parameters:
    ///   - isOpened: whether its notification was opened. That was shown to its user, so it does not matter that another user
    ///     has come meanwhile.
    ///   - surface: the surface that shows it.
    package mutating func present(
        _ id: Identifier, visibleTo uid: UInt32?, locale: String? = nil, isOpened: Bool = false,
        on surface: Surface = .app, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        switch presentation.state {
        case .ready: break
        case .scheduled:
            throw WireError(.conflict, "this survey is not due before \(presentation.dueAt)", path: Engine.idPath)
        case .presented:
            throw WireError(.conflict, "this survey is being shown already", path: Engine.idPath)
        case .answered, .dismissed, .expired, .cancelled: throw presentation.closedError
        }
        if surveys.shown(in: presentation.scope) != nil {
            throw WireError(
                .conflict, "another survey is being shown in app '\(presentation.app)'; one is shown at a time",
                path: Engine.idPath)
        }
        let survey = try survey(of: presentation)
        if isMuted(presentation, now: now) {
            throw WireError(
                .conflict, "the account has muted this survey; mute.remove ends that",
                path: Engine.idPath)
        }
        if !surveys.debug.bypassesGating, presentation.prompt == nil,
            let standing = standing(survey, for: presentation.trigger, now: now), !standing.hasRoom
        {
            throw WireError(.conflict, standing.refusal, path: Engine.idPath)
        }
        guard !presentation.isVisitors || surface == .kiosk else {
            throw WireError(
                .conflict, "a visitor of a kiosk has begun this survey, and it is shown to nobody else",
                path: Engine.idPath)
        }
        if !isOpened { try refuseOthers(presentation) }
        let session = session(for: &presentation, source: source, now: now, into: &changes)
        let isFirst = presentation.presentedAt == nil
        if surface.showsQuestions, presentation.times.opened == nil {
            if presentation.times.notified == nil { startExpiry(of: &presentation, now: now) }
            allowFinishing(&presentation, now: now)
        }
        presentation.state = .presented
        reserveCredit(presentation, survey, now: now)
        presentation.session = session.id
        presentation.locale = locale
        presentation.shown = survey.shown(for: presentation)
        place(&presentation, on: surface, at: now)
        if isFirst {
            presentation.presentedAt = now
            // The next visitor of a kiosk is another person.
            presentation.isUncounted =
                surveys.debug.bypassesGating || presentation.isVisitors && presentation.user.userId == nil
            count(presentation, session: session.id, now: now, into: &changes)
            noteAsked(presentation, now: now, into: &changes)
        }
        put(presentation, into: &changes)
        startWatch(for: presentation, survey.content(for: presentation))
        if isFirst {
            let event = emitPresented(presentation, survey, in: session, source: source, now: now, into: &changes)
            cancelBarred(of: presentation.user, now: now, into: &changes)
            follow(event, source: source, now: now, into: &changes)
        }
        return presentation
    }

    /// Records that a survey is shown for the first time.
    mutating func emitPresented(
        _ presentation: Presentation, _ survey: Survey, in session: SessionIdentity, source: Source, now: Timestamp,
        into changes: inout Changes
    ) -> SurveyEvent {
        emit(
            SurveyEvents.presented,
            [
                ("id", .string(survey.id)), ("responseType", .string(survey.content.responseType.eventWord)),
                ("debugMode", .bool(surveys.debug.isOn)),
            ], of: presentation, in: session, source: source, now: now, into: &changes)
    }

    /// Takes a presentation back from a presenter that went away; it is shown again when there is another.
    package mutating func release(
        _ id: Identifier, visibleTo uid: UInt32?, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        let presentation = try find(id, visibleTo: uid)
        guard presentation.state == .presented else { throw notShown(presentation) }
        return release(presentation, now: now, into: &changes)
    }

    /// Takes back the presentations that were on screen when the daemon, or the engine, restarted, except those that a presenter
    /// still shows with the current texts.
    package mutating func releaseShown(
        except kept: Set<Identifier> = [], now: Timestamp, into changes: inout Changes
    ) {
        for presentation in surveys.allShown where !kept.contains(presentation.id) || hasOtherTexts(presentation) {
            release(presentation, now: now, into: &changes)
        }
    }

    private func hasOtherTexts(_ presentation: Presentation) -> Bool {
        guard let survey = definition(of: presentation) else { return false }
        return survey.shown(for: presentation) != presentation.shown
    }

    /// Takes back a survey of another user, which must not stay on the screen of this one.
    mutating func releaseShown(
        in scope: Scope, unlessTo user: UserKey, now: Timestamp, into changes: inout Changes
    ) {
        guard let presentation = surveys.shown(in: scope), presentation.prompt == nil, presentation.user != user else {
            return
        }
        release(presentation, now: now, into: &changes)
    }

    @discardableResult
    mutating func release(
        _ presentation: Presentation, now: Timestamp, into changes: inout Changes
    ) -> Presentation {
        var presentation = presentation
        if isMuted(presentation, now: now) {
            return close(
                presentation, .cancelled, reason: SurveyGate.Check.muted.rawValue, now: now, into: &changes)
        }
        lap(&presentation)
        presentation.state = .ready
        endSession(ownedBy: &presentation, source: presentation.ownSource, now: now, into: &changes)
        if let until = quiet(presentation, now: now) { (presentation.state, presentation.dueAt) = (.scheduled, until) }
        put(presentation, into: &changes)
        return presentation
    }

    /// Closes presentations that earlier visitors of a kiosk began and no presenter shows any more. The scope and its users must
    /// have been admitted. No event is recorded, because it would be in the next visitor's session.
    package mutating func closeLeft(in scope: Scope, now: Timestamp, into changes: inout Changes) {
        for presentation in waiting(in: scope)
        where presentation.scope == scope && presentation.isVisitors
            && (presentation.state == .ready || presentation.state == .scheduled)
        {
            close(presentation, .dismissed, reason: Presentation.abandonedReason, now: now, into: &changes)
        }
    }

    private mutating func count(
        _ presentation: Presentation, session: Identifier, now: Timestamp, into changes: inout Changes
    ) {
        guard !presentation.isUncounted, presentation.prompt == nil,
            let limits = surveys.configuration.survey(presentation.survey)?.limits
        else { return }
        var gating = (surveys.state(of: presentation.user)?.gating[ExactName(presentation.survey)] ?? Gating())
            .inForce(limits, at: now)
        gating.countPresentation(
            app: presentation.app, session: session, keeping: surveys.configuration.showingsKept, at: now)
        put(gating, of: presentation.survey, presentation.user, into: &changes)
    }

    /// Cancels waiting presentations that may no longer be shown after the showing that was just counted.
    private mutating func cancelBarred(of user: UserKey, now: Timestamp, into changes: inout Changes) {
        for other in surveys.state(of: user)?.presentations ?? [] where other.state == .ready && other.prompt == nil {
            guard let survey = surveys.configuration.survey(other.survey) else { continue }
            let gate = gate(
                survey, user, in: other.scope, session: currentSession(for: other)?.id,
                for: other.trigger, now: now)
            // A place may become free again.
            guard let check = gate.obstacle(resumed: other.presentedAt != nil), check != .quota else { continue }
            close(other, .cancelled, reason: check.rawValue, now: now, into: &changes)
        }
    }
}

/// Code shared by showing and answering.
extension Engine {
    static let idPath = "presentationId"

    /// - Parameter uid: the asking account; nil may see all presentations.
    func find(_ id: Identifier, visibleTo uid: UInt32?) throws(WireError) -> Presentation {
        guard let presentation = surveys.presentation(id), uid == nil || uid == presentation.user.uid else {
            throw WireError(
                .notFound, "there is no presentation \(id) (survey.pending lists those you may see)",
                path: Engine.idPath)
        }
        return presentation
    }

    func survey(of presentation: Presentation) throws(WireError) -> Survey {
        guard let survey = definition(of: presentation) else {
            throw WireError(
                .alreadyClosed, "the survey '\(presentation.survey)' is no longer in the configuration",
                path: Engine.idPath)
        }
        return survey
    }

    func notShown(_ presentation: Presentation) -> WireError {
        guard presentation.state.isOpen else { return presentation.closedError }
        return WireError(
            .conflict, "this survey is not being shown, it is \(presentation.state.word); present it first",
            path: Engine.idPath)
    }

    /// Only its own user may open and close a presentation that is not on screen.
    func refuseOthers(_ presentation: Presentation) throws(WireError) {
        guard sessions.current(presentation.scope) != nil, currentSession(for: presentation) == nil else { return }
        throw WireError(
            .conflict,
            "this survey is for another user than the one whose session is the current one of app "
                + "'\(presentation.app)'; it waits for that user's next session", path: Engine.idPath)
    }

    /// The session for a user's action on a survey: the current one if it is this user's, else one that was started for the
    /// survey.
    mutating func session(
        for presentation: inout Presentation, source: Source, now: Timestamp, into changes: inout Changes
    ) -> SessionIdentity {
        if let session = currentSession(for: presentation) ?? presentation.ownSession { return session }
        let session = beginSessionAside(
            presentation.scope, userId: presentation.user.userId, source: source, now: now, into: &changes)
        presentation.ownSession = session
        return session
    }

    /// Records an event about a survey. `follow` must be called once all else is done.
    mutating func emit(
        _ name: String, _ properties: [(String, PropertyValue)], of presentation: Presentation,
        in session: SessionIdentity, source: Source, now: Timestamp, into changes: inout Changes
    ) -> SurveyEvent {
        let variant = presentation.times.variant.map { [("variant", PropertyValue.string($0))] } ?? []
        let properties = Properties(properties + variant)
        let recorded = append(
            .event, of: session, name: name, properties: properties, source: source, at: now, into: &changes)
        return SurveyEvent(
            name: name, properties: properties, session: session, depth: presentation.depth,
            answers: presentation.answers, recorded: recorded)
    }
}

extension Presentation {
    var closedError: WireError {
        let why = reason.map { " (\($0))" } ?? ""
        let when = closedAt.map { " on \($0)" } ?? ""
        return WireError(
            .alreadyClosed, "this survey was \(state.word)\(when)\(why); nothing was stored", path: Engine.idPath)
    }
}
