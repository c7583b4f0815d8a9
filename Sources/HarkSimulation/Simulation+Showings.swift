import HarkCore
import HarkStore
import HarkWire

/// The survey and the user of showings that belong together.
struct ShowingKey: Hashable {
    let survey: ExactName
    let user: UserKey
    let app: String

    init(_ survey: String, _ user: UserKey, _ app: String) {
        (self.survey, self.user, self.app) = (ExactName(survey), user, app)
    }
}

/// A presentation of the simulation.
struct SimulatedShowing {
    var presentation: Presentation
    /// The real showing; nil if there was none like it.
    let real: RealShowing?
    /// Whether the engine offers it. There was no real showing, or the real time of showing was not possible.
    var isLoose: Bool
    var isPlanned = false
    /// How much later than in reality it is shown, in milliseconds.
    var shift: Int64 = 0

    /// Whether it was shown within the simulated time.
    func isShown(since: Timestamp) -> Bool { presentation.presentedAt.map { $0 >= since } ?? false }
}

/// From real showings to showings in the simulation.
extension Simulation {
    /// The longest time between a showing and its event, in milliseconds: one decision makes both.
    private static let slack: Int64 = 1
    /// More questions than any survey has.
    private static let mostAnswers = 1_000

    /// Takes a real showing. It is read before the event that triggered it.
    func take(_ showing: RealShowing) throws {
        guard showing.createdAt < terms.until, !showing.isGone(before: terms.since) else { return }
        tally.noteReal(showing, in: terms.since..<terms.until)
        noteSessions(of: showing)
        guard engine.settings.surveys.survey(showing.survey) != nil else { return }
        if isTakenAsItWas(showing) {
            timeline.add(.bringAbout(showing), at: max(showing.createdAt, beginning(of: showing)))
        } else if showing.createdAt < terms.since {
            timeline.add(.bringAbout(showing), at: showing.createdAt)
        } else {
            expected[ShowingKey(showing.survey, showing.user, showing.app), default: []].append(showing)
            timeline.add(.makeRoom(showing), at: showing.createdAt.adding(milliseconds: -1))
            timeline.add(.giveUp(showing), at: showing.createdAt.adding(milliseconds: Self.slack + 1))
        }
    }

    /// Whether the showing passes over the limits of the file: its trigger is not in the log, or it was shown before the
    /// simulated time.
    private func isTakenAsItWas(_ showing: RealShowing) -> Bool {
        unrecorded.contains(ExactName(showing.survey)) || isBefore(showing)
    }

    private func isBefore(_ showing: RealShowing) -> Bool { showing.presentedAt.map { $0 < terms.since } ?? false }

    /// The time from which such a showing can be shown. Something held it back until then.
    private func beginning(of showing: RealShowing) -> Timestamp {
        if isBefore(showing) { return showing.presentedAt ?? showing.createdAt }
        let isPutOffLater = showing.presentedAt.map { $0 < showing.dueAt ?? $0 } ?? false
        let due = isPutOffLater ? showing.plannedAt : showing.dueAt
        return min(due ?? showing.createdAt, showing.closedAt ?? .latest)
    }

    func giveUp(_ showing: RealShowing) {
        let key = ShowingKey(showing.survey, showing.user, showing.app)
        guard var waiting = expected[key] else { return }
        waiting.removeAll { $0.id == showing.id }
        expected[key] = waiting.isEmpty ? nil : waiting
    }

    func bringAbout(_ showing: RealShowing) throws {
        try bring(
            .all([
                .holdings([.presentations], of: showing.user.uid),
                .countedScope(Scope(uid: showing.user.uid, app: showing.app)), .user(showing.user),
            ]))
        let course: Engine.Course =
            isTakenAsItWas(showing)
            ? .ready(expiresAt: showing.expiresAt) : .waiting(until: showing.plannedAt ?? showing.createdAt)
        let id = engine.bringAbout(
            showing.survey, of: showing.user, app: showing.app, event: showing.event, createdAt: showing.createdAt,
            course, now: now, into: &changes)
        raised = id.map { _ in showing }
    }

    private func end(of real: RealShowing) -> SimulatedEnd? { real.end(isTakenAsItWas: isTakenAsItWas(real)) }

    private func counterpart(of presentation: Presentation) -> RealShowing? {
        if let showing = raised {
            raised = nil
            return showing
        }
        let key = ShowingKey(presentation.survey, presentation.user, presentation.app)
        let found = expected[key]?.first {
            ($0.createdAt.milliseconds - presentation.createdAt.milliseconds).magnitude <= UInt64(Self.slack)
        }
        if let found { giveUp(found) }
        return found
    }

    /// Notes a presentation that the engine has made or changed.
    func note(_ presentation: Presentation) {
        guard var showing = known(presentation) else { return }
        let before = showing.presentation.state
        showing.presentation = presentation
        switch presentation.state {
        case .scheduled: break
        case .ready:
            planShowing(&showing)
            planPutOff(showing)
        case .presented:
            if before != .presented {
                planEnd(&showing)
                planPutOff(showing)
            }
        case .answered, .dismissed, .expired, .cancelled:
            open[presentation.id] = nil
            forget(showing)
            return end(showing, presentation.state)
        }
        open[presentation.id] = showing
    }

    private func known(_ presentation: Presentation) -> SimulatedShowing? {
        if let known = open[presentation.id] { return known }
        guard presentation.state.isOpen else { return nil }
        let real = counterpart(of: presentation)
        let showing = SimulatedShowing(presentation: presentation, real: real, isLoose: real == nil)
        if showing.isLoose { loose[presentation.scope, default: 0] += 1 } else { followed.insert(presentation.id) }
        // Before the simulated time, only real showings happened.
        if showing.isLoose, now < terms.since {
            timeline.add(.end(presentation.id, .closed(.cancelled, reason: nil)), at: now)
        }
        // The state before: it may be presented at once, and a change needs a state to start from.
        var unseen = showing
        unseen.presentation.state = .scheduled
        return unseen
    }

    private func forget(_ showing: SimulatedShowing) {
        guard showing.isLoose else {
            followed.remove(showing.presentation.id)
            return
        }
        let scope = showing.presentation.scope
        let rest = (loose[scope] ?? 1) - 1
        loose[scope] = rest == 0 ? nil : rest
    }

    /// It could not be shown at its real time, so it waits until the engine offers it.
    private func letLoose(_ id: Identifier) {
        guard var showing = open[id], !showing.isLoose else { return }
        showing.isLoose = true
        open[id] = showing
        followed.remove(id)
        loose[showing.presentation.scope, default: 0] += 1
    }

    /// It can be shown. It is shown at its real time, which may be never.
    private func planShowing(_ showing: inout SimulatedShowing) {
        guard let real = showing.real, !showing.isPlanned else { return }
        showing.isPlanned = true
        let id = showing.presentation.id
        if let presented = real.presentedAt {
            timeline.add(.present(id), at: max(now, presented))
        } else if let end = end(of: real), let closed = real.closedAt {
            timeline.add(.end(id, end), at: max(now, closed))
        }
    }

    private func planEnd(_ showing: inout SimulatedShowing) {
        let id = showing.presentation.id
        // A showing that was replaced on the screen ends at its usual time.
        guard showing.presentation.presentedAt == now else { return }
        if now >= terms.since { tally.note(showing.presentation.user, at: now) }
        guard let real = showing.real else {
            let end = draws(showing.presentation) ? SimulatedEnd.answered : .dismissed(isAbandoned: false)
            return timeline.add(.end(id, end), at: now.adding(milliseconds: SimulationTerms.onScreen))
        }
        guard let presented = real.presentedAt else { return }
        showing.shift = now.milliseconds - presented.milliseconds
        guard let end = end(of: real), let closed = real.closedAt else { return }
        timeline.add(.end(id, end), at: max(now, closed.adding(milliseconds: showing.shift)))
    }

    /// Decides at random, with the same result for the same showing in every file.
    private func draws(_ presentation: Presentation) -> Bool {
        var hash = StableHash(terms.seed)
        for byte in presentation.survey.utf8 { hash.mix(byte) }
        for byte in (presentation.user.userId ?? "").utf8 { hash.mix(byte) }
        for shift in stride(from: Int64(0), to: 64, by: 8) {
            hash.mix(UInt8(truncatingIfNeeded: presentation.createdAt.milliseconds >> shift))
        }
        let rate = terms.answered ?? tally.rate(of: presentation.survey) ?? SimulationTerms.usualRate
        return Double(hash.value % 1_000_000) < rate * 1_000_000
    }

    func present(_ id: Identifier) throws {
        try bring(.presentation(id))
        guard let presentation = engine.surveys.presentation(id) else { return }
        guard presentation.state == .ready else { return letLoose(id) }
        // This showing was really on the screen, so the simulated one there was not.
        if let shown = engine.surveys.shown(in: presentation.scope) {
            try bring(.presentation(shown.id))
            _ = try engine.release(shown.id, visibleTo: nil, now: now, into: &changes)
        }
        do throws(WireError) {
            _ = try engine.present(
                id, visibleTo: nil, isOpened: true, on: open[id]?.real?.surface ?? .window,
                source: Source(uid: presentation.user.uid, pid: 0), now: now, into: &changes)
        } catch {
            // The quota is full, or the user has muted the survey by now.
            guard error.reason == .conflict else { throw error }
            letLoose(id)
        }
    }

    func end(_ id: Identifier, _ end: SimulatedEnd) throws {
        try bring(.presentation(id))
        guard let before = engine.surveys.presentation(id), before.state.isOpen else { return }
        let source = Source(uid: before.user.uid, pid: 0)
        if case .closed(let state, let reason) = end {
            return engine.close(asRecorded: id, state, reason: reason, now: now, into: &changes)
        }
        if before.state == .scheduled, before.presentedAt != nil {
            engine.resume(asRecorded: id, now: now, into: &changes)
        }
        if engine.surveys.presentation(id)?.state == .ready { try present(id) }
        guard engine.surveys.presentation(id)?.state == .presented else { return }
        switch end {
        case .answered:
            _ = try engine.answer(
                id, asRecorded: answers(of: id), source: source, now: now, into: &changes)
        case .dismissed(let isAbandoned):
            _ = try engine.dismiss(
                id, for: isAbandoned ? .abandoned : .once, visibleTo: nil, source: source, now: now, into: &changes)
        case .closed: break
        }
    }

    private func answers(of id: Identifier) -> Answers {
        var answers = Answers()
        guard let showing = open[id], let real = showing.real else { return answers }
        let questions = engine.settings.surveys.survey(real.survey)?.content.questionnaire.questions ?? []
        for (question, value) in real.answers.prefix(Self.mostAnswers) {
            let isText = questions.first { $0.id.hasSameBytes(as: question) }.map { $0.kind.type == .text } ?? true
            answers[question] = Answer(recorded: value, isText: isText)
        }
        return answers
    }

    /// - Parameter state: The state in which it ended; nil if it has not ended.
    func end(_ showing: SimulatedShowing, _ state: PresentationState?) {
        tally.add(showing, state)
        if showing.isShown(since: terms.since) { onShowing(showing) }
    }
}

extension Answer {
    /// - Parameter isText: Whether the answer was written, not chosen.
    fileprivate init?(recorded value: JSONValue, isText: Bool) {
        if let text = value.stringValue {
            self = isText ? .text(text) : .choice(text)
        } else if let texts = value.arrayValue {
            self = .choices(texts.compactMap(\.stringValue))
        } else if let number = ExactNumber(value) {
            self = .number(number)
        } else {
            return nil
        }
    }
}
