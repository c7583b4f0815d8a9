import HarkCore
import HarkWire

/// Showings that somebody put off. The log tells until when, and not since when.
extension Simulation {
    private static let day: Int64 = 86_400_000

    /// Plans that a showing is put off as it really was: as late as it can have been. Up to then it counts as one that
    /// waits.
    func planPutOff(_ showing: SimulatedShowing) {
        guard let until = putOffUntil(showing), until > now else { return }
        let presentation = showing.presentation
        if presentation.presentedAt == nil {
            // First it is shown, where it was shown before it was put off.
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

    /// Another showing of a survey comes about for the same user: so one that was put off was so by then, as there would
    /// be no other while it waits.
    func makeRoom(for showing: RealShowing) throws {
        try bring(.user(showing.user))
        for other in engine.surveys.state(of: showing.user)?.presentations ?? []
        where other.survey.hasSameBytes(as: showing.survey) && other.app.hasSameBytes(as: showing.app) {
            guard let until = open[other.id].flatMap(putOffUntil) else { continue }
            try putOff(other.id, until: until)
        }
    }

    // MARK: Quiet hours

    /// Has what is ready wait while hours are quiet, as the daemon does, and looks again when they begin.
    func holdWhileQuiet(in scope: Scope) throws {
        guard hasQuietHours else { return }
        try bring(.offers(in: scope))
        engine.holdWhileQuiet(in: scope, except: notHeld(in: scope), now: now, into: &changes)
        guard let begin = engine.quietBegins(in: scope, now: now), begin < holds[scope] ?? .latest else { return }
        holds[scope] = begin
        timeline.add(.hold(scope), at: begin)
    }

    /// What was shown before and is ready here may really be on the screen again. Then it did not wait for the end of
    /// these quiet hours.
    private func notHeld(in scope: Scope) -> Set<Identifier> {
        shownBefore[scope]?.filter { id in
            guard let real = open[id]?.real, let due = real.dueAt else { return false }
            let isSoon = now < due && due < now.adding(milliseconds: Self.day)
            return !(isSoon && engine.quietEnds(real.survey, of: real.user.uid, at: due))
        } ?? []
    }

    func forgetShownBefore(_ showing: SimulatedShowing) {
        let (scope, id) = (showing.presentation.scope, showing.presentation.id)
        guard shownBefore[scope]?.remove(id) != nil, shownBefore[scope]?.isEmpty ?? false else { return }
        shownBefore[scope] = nil
    }
}
