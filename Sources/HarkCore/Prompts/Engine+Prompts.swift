package import HarkWire

/// Asking and cancelling prompts.
extension Engine {
    /// Asks a question in scopes of different accounts. Each scope must have been admitted with its users.
    ///
    /// A question that was asked under the same id before is not asked again.
    ///
    /// - Parameters:
    ///   - id: an id chosen by the client; nil for a new one.
    ///   - timeout: the time until the prompt expires, in milliseconds.
    package mutating func ask(
        _ question: PromptQuestion, id: Identifier?, in scopes: [Scope], timeout: Int64, isKept: Bool = false,
        source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> PromptStanding {
        if let id, let known = prompt(id) {
            guard known.prompt.asker == source.uid, known.prompt.question == question else {
                throw WireError(
                    .conflict, "something else was asked under this id; choose another",
                    path: "promptId")
            }
            return known
        }
        guard surveys.configuration.survey(question.name) == nil else {
            throw WireError(
                .conflict, "a survey of the configuration is called '\(question.name)'; choose another name",
                path: "name")
        }
        try checkRoom(forPrompts: scopes.count)
        for scope in scopes {
            try Limits.check(app: scope.app)
            try checkRoom(forPromptTo: scope.uid)
            if question.name == AgentWords.promptName { try checkRoom(forAgentsQuestionTo: scope.uid) }
            if sessions.current(scope) == nil { try checkRoomForApp(of: scope.uid) }
        }
        let prompt = Prompt(
            id: id ?? identifiers.next(at: now), asker: source.uid, isKept: isKept, question: question)
        var presentations: [Presentation] = []
        for scope in scopes {
            // A scope without a session gets an anonymous one, as with an event.
            let session =
                sessions.current(scope)?.identity
                ?? beginSession(scope, userId: nil, isImplicit: true, source: source, now: now, into: &changes).identity
            var presentation = Presentation(
                id: identifiers.next(at: now), survey: question.name, user: UserKey(uid: scope.uid, userId: nil),
                app: scope.app, origin: session.id, createdAt: now, state: .ready, dueAt: believed(now))
            presentation.prompt = prompt
            presentation.expiresAt = believed(now).adding(milliseconds: timeout)
            put(presentation, into: &changes)
            if isMuted(presentation, now: now) {
                presentation = close(
                    presentation, .cancelled, reason: SurveyGate.Check.muted.rawValue, source: source, now: now,
                    into: &changes)
            }
            presentations.append(presentation)
        }
        guard let standing = PromptStanding(presentations) else {
            throw WireError(.invalidParams, "nobody is named to be asked", path: "uids")
        }
        return standing
    }

    /// The state of a prompt whose presentations are loaded; nil when none is.
    package func prompt(_ id: Identifier) -> PromptStanding? { PromptStanding(surveys.presentations(ofPrompt: id)) }

    /// The state of a prompt for a client that may see it: the asker, or an administrator.
    ///
    /// - Parameter uid: the client; nil may see all prompts.
    package func prompt(_ id: Identifier, visibleTo uid: UInt32?) throws(WireError) -> PromptStanding {
        guard let standing = prompt(id), uid == nil || uid == standing.prompt.asker else {
            throw WireError(.notFound, "there is no prompt \(id)", path: "promptId")
        }
        return standing
    }

    /// Ends a prompt without an answer; does nothing if it is over.
    package mutating func cancelPrompt(
        _ id: Identifier, reason: PromptEnd, visibleTo uid: UInt32?, source: Source? = nil, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> PromptStanding {
        let standing = try prompt(id, visibleTo: uid)
        guard standing.state == .open else { return standing }
        end(standing, except: nil, reason: reason.rawValue, source: source, now: now, into: &changes)
        return try prompt(id, visibleTo: uid)
    }

    /// Ends the other presentations of a prompt once one is answered.
    mutating func endOthers(than answered: Presentation, source: Source, now: Timestamp, into changes: inout Changes) {
        guard let id = answered.prompt?.id, let standing = prompt(id) else { return }
        end(
            standing, except: answered.id, reason: Presentation.answeredReason, source: source, now: now, into: &changes
        )
    }

    private mutating func end(
        _ standing: PromptStanding, except kept: Identifier?, reason: String, source: Source?, now: Timestamp,
        into changes: inout Changes
    ) {
        for presentation in standing.presentations where presentation.state.isOpen && presentation.id != kept {
            close(presentation, .cancelled, reason: reason, source: source, now: now, into: &changes)
        }
    }

    /// Wakes a presentation of a prompt, which expires or returns after being postponed.
    mutating func wakePrompt(_ presentation: Presentation, now: Timestamp, into changes: inout Changes) {
        let isOver = presentation.expiresAt.map { $0 <= believed(now) } ?? false
        guard presentation.state == .scheduled, !isOver else {
            close(presentation, .expired, now: now, into: &changes)
            return
        }
        if isMuted(presentation, now: now) {
            close(presentation, .cancelled, reason: SurveyGate.Check.muted.rawValue, now: now, into: &changes)
            return
        }
        var presentation = presentation
        presentation.state = .ready
        put(presentation, into: &changes)
    }
}

/// Why a prompt was cancelled, rather than answered, dismissed or expired.
package enum PromptEnd: String, Sendable {
    /// The asker has withdrawn it.
    case withdrawn
    /// No client waits for the answer any more.
    case abandoned
    /// No presenter could show it, and it should not wait for one.
    case nobody
}
