import HarkCore
import HarkWire

/// Showings that were put off. The store tells when that happened, and until when.
extension Simulation {
    /// Plans to put the showing off at the time at which it was really put off.
    func planPutOff(_ showing: SimulatedShowing) {
        guard let real = showing.real else { return }
        let id = showing.presentation.id
        let (delays, shift) = (real.delays, showing.shift)
        if let next = delays.first(where: { $0.until.adding(milliseconds: shift) > now }) {
            timeline.add(
                .putOff(id, until: next.until.adding(milliseconds: shift)),
                at: max(now, next.at.adding(milliseconds: shift)))
        } else if delays.isEmpty, let until = putOffUntil(showing), until > now {
            planLatePutOff(showing, until: until)
        }
    }

    /// Plans it for a showing of an older store, which did not keep the time. The latest possible time is taken, and the
    /// showing counts as waiting until then.
    private func planLatePutOff(_ showing: SimulatedShowing, until: Timestamp) {
        let presentation = showing.presentation
        if presentation.presentedAt == nil {
            // A showing that was presented before it was put off is presented first.
            guard !showing.isLoose, showing.real?.presentedAt ?? .latest >= until else { return }
        }
        let last = min(until, presentation.expiresAt ?? .latest).adding(milliseconds: -1)
        timeline.add(.putOff(presentation.id, until: until), at: max(now, last))
    }

    private func putOffUntil(_ showing: SimulatedShowing) -> Timestamp? {
        showing.real?.putOffUntil?.adding(milliseconds: showing.shift)
    }

    func putOff(_ id: Identifier, until: Timestamp) throws {
        try bring(.presentation(id))
        guard let presentation = engine.surveys.presentation(id), until > now,
            presentation.state == .ready || presentation.state == .presented
        else { return }
        _ = try engine.snooze(
            id, for: until.milliseconds - now.milliseconds, visibleTo: nil,
            source: Source(uid: presentation.user.uid, pid: 0), now: now, into: &changes)
    }

    /// Another showing of the survey comes about for the same user. A showing of it that was put off later must have been
    /// put off by then: while a showing waits, no other comes about.
    func makeRoom(for showing: RealShowing) throws {
        try bring(.user(showing.user))
        for other in engine.surveys.state(of: showing.user)?.presentations ?? []
        where other.survey.hasSameBytes(as: showing.survey) && other.app.hasSameBytes(as: showing.app) {
            guard let showing = open[other.id], showing.real?.delays.isEmpty ?? false,
                let until = putOffUntil(showing)
            else { continue }
            try putOff(other.id, until: until)
        }
    }

    // MARK: Quiet hours

    /// Lets ready showings wait during quiet hours, as the daemon does, and looks again when the hours begin.
    func holdWhileQuiet(in scope: Scope) throws {
        guard hasQuietHours else { return }
        try bring(.offers(in: scope))
        engine.holdWhileQuiet(in: scope, except: isKept, now: now, into: &changes)
        guard let begin = engine.quietBegins(in: scope, now: now), begin < holds[scope] ?? .latest else { return }
        holds[scope] = begin
        timeline.add(.hold(scope), at: begin)
    }

    /// Whether a ready showing is left alone: it is put off at the real time, and was on the screen otherwise.
    private func isKept(_ presentation: Presentation, until: Timestamp) -> Bool {
        guard let showing = open[presentation.id], !showing.isLoose, let real = showing.real else { return false }
        return !real.delays.isEmpty || real.putOffUntil == nil
    }
}
