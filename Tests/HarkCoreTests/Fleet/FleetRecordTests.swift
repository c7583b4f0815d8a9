import HarkWire
import Testing

@testable import HarkCore

/// The records that only the hub of a fleet is sent: when they come about, and where they lie.
@Suite struct FleetRecordTests {
    private static func stage(_ surveys: [Survey] = [Samples.survey()]) -> Stage {
        var stage = Stage(surveys)
        stage.engine.recordsForFleet = true
        return stage
    }

    /// The names of a stage's records, kinds for those without.
    private static func story(_ stage: Stage) -> [String] {
        stage.disk.records.map { record in
            switch record.kind {
            case .event: record.name
            case .presentation: "closed \(record.name)"
            case .sessionStarted, .sessionEnded, .log, .form, .profile, .clear: "\(record.kind)"
            }
        }
    }

    private static func closings(_ stage: Stage) throws -> [Presentation] {
        try stage.disk.records.filter { $0.kind == .presentation }.map { try #require(Presentation($0)) }
    }

    /// The stored presentations, in the order in which they were closed.
    private static func kept(_ stage: Stage) throws -> [Presentation] {
        try closings(stage).map { closing in try #require(stage.presentations.first { $0.id == closing.id }) }
    }

    @Test("without a fleet nothing is recorded, and no number is taken")
    func off() throws {
        var stages = [Stage([Samples.survey()]), Self.stage()]
        for index in stages.indices {
            try stages[index].startSession("ada")
            try stages[index].record("done")
            let shown = try #require(try stages[index].presentNext())
            try stages[index].answer(shown.id, option: "Great")
        }
        #expect(Self.story(stages[0]) == ["sessionStarted", "done", "survey_presented", "survey_response"])
        #expect(stages[0].engine.lastSequence == 4)
        #expect(Self.story(stages[1]) == Self.story(stages[0]) + ["closed rating"])
        #expect(stages[1].engine.lastSequence == 5)
    }

    @Test("an answer is told after its own event, in the session in which it was given, with all there is to know")
    func answered() throws {
        var stage = Self.stage()
        let session = try stage.startSession("ada")
        try stage.record("done")
        let shown = try stage.showNext(locale: "de")
        stage.now = stage.now.adding(milliseconds: 2_500)
        try stage.answer(shown.id, option: "Great")
        #expect(Self.story(stage).suffix(2) == ["survey_response", "closed rating"])
        let record = try #require(stage.disk.records.last)
        #expect(record.session == session.identity)
        #expect(record.source == stage.source)
        #expect(record.at == stage.now)
        let closing = try #require(Presentation(record))
        #expect(closing == stage.presentations.first { $0.id == shown.id })
        #expect(closing.state == .answered)
        #expect(closing.locale == "de")
        #expect(!closing.shown.isEmpty)
        #expect(closing.answers["option"] == .choice("Great"))
    }

    @Test("dismissed, expired, withdrawn, put off until it is gone: each end is told once")
    func ends() throws {
        var stage = Self.stage([
            Samples.survey("a", event: "a"), Samples.survey("b", event: "b") { $0.expireAfter = Stage.hour },
            Samples.survey("c", event: "c"), Samples.survey("d", event: "d", delay: Stage.hour),
        ])
        try stage.startSession("ada")
        try stage.record("a")
        let next = try stage.showNext()
        try stage.dismiss(next.id)
        try stage.record("b")
        stage.pass(2 * Stage.hour)
        try stage.record("c")
        let ready = stage.offer()
        try stage.dismiss(try #require(ready).id)
        try stage.record("d")
        stage.configure(SurveyConfiguration([]))
        #expect(try Self.closings(stage).map(\.survey) == ["a", "b", "c", "d"])
        #expect(try Self.closings(stage).map(\.state) == [.dismissed, .expired, .cancelled, .cancelled])
        #expect(
            try Self.closings(stage).map(\.reason)
                == [nil, nil, Presentation.withdrawnReason, Presentation.removedReason])
        #expect(try Self.closings(stage) == Self.kept(stage))
        #expect(stage.presentations(.scheduled).isEmpty)
    }

    @Test("what is answered ends what else is open of the survey, and that is told too")
    func others() throws {
        var stage = Self.stage([Samples.survey(delay: Stage.hour)])
        for _ in 0..<2 {
            try stage.startSession("ada")
            try stage.record("done")
            stage.pass(1_000)
        }
        stage.pass(Stage.hour - 2_000)
        let shown = try stage.showNext()
        try stage.answer(shown.id, option: "Poor")
        #expect(try Self.closings(stage).map(\.state) == [.cancelled, .answered])
        #expect(try Self.closings(stage).first?.reason == Presentation.answeredReason)
        #expect(try Self.closings(stage) == Self.kept(stage))
    }

    @Test("where the session it was shown in is over, or it never was, it lies in one for entries of its user")
    func elsewhere() throws {
        var stage = Self.stage([Samples.survey { $0.expireAfter = Stage.hour }])
        let first = try stage.startSession("ada")
        try stage.record("done")
        let shown = try stage.showNext()
        let second = try stage.startSession("bob")
        stage.pass(2 * Stage.hour)
        let record = try #require(stage.disk.records.last)
        #expect(record.kind == .presentation)
        #expect(record.session != first.identity && record.session != second.identity)
        #expect(record.session.isForLogs && !record.session.outlastsClears)
        #expect(UserKey(record.session) == UserKey(uid: Stage.uid, userId: "ada"))
        let closing = try #require(Presentation(record))
        #expect(closing.id == shown.id)
        #expect(closing.session == first.identity.id)
    }

    @Test("a session that was begun for a survey ends after it")
    func ownSession() throws {
        var stage = Self.stage()
        try stage.startSession("ada")
        try stage.record("done")
        stage.endSession()
        let shown = try stage.showNext()
        try stage.answer(shown.id, option: "Great")
        #expect(Self.story(stage).suffix(3) == ["survey_response", "closed rating", "sessionEnded"])
        #expect(Set(stage.disk.records.suffix(3).map(\.session.id)).count == 1)
        #expect(try Self.closings(stage) == Self.kept(stage))
    }

    @Test("of a prompt the end is told for each account that was asked")
    func prompts() throws {
        var stage = Self.stage([])
        let standing = try stage.ask(.sample(fallback: "No"), uids: [Stage.uid, 1001])
        let mine = try #require(standing.presentations.first { $0.user.uid == Stage.uid })
        try stage.answer(mine.id, option: "Yes")
        #expect(Self.story(stage).suffix(2) == ["closed prompt", "closed prompt"])
        #expect(try Self.closings(stage).map(\.user.uid) == [1001, Stage.uid])
        #expect(try Self.closings(stage).map(\.state) == [.cancelled, .answered])
        #expect(try Self.closings(stage) == Self.kept(stage))
        let second = try stage.ask(.sample("second"))
        _ = try stage.cancel(second.prompt.id)
        try stage.ask(.sample("third"), timeout: Stage.hour)
        stage.pass(2 * Stage.hour)
        #expect(try Self.closings(stage).suffix(2).map(\.state) == [.cancelled, .expired])
        #expect(try Self.closings(stage) == Self.kept(stage))
    }

    @Test("what a clear takes is told by the clear alone, also when the engine starts again")
    func cleared() throws {
        var stage = Self.stage()
        stage.restart()
        try stage.startSession("ada")
        try stage.record("done")
        try stage.presentNext()
        stage.clear(.user("ada"))
        #expect(try Self.closings(stage).isEmpty)
        try stage.startSession("ada")
        try stage.record("done")
        let next = try stage.showNext()
        try stage.dismiss(next.id)
        #expect(try Self.closings(stage).count == 1)
    }

    // MARK: On the hub

    @Test("a presentation is taken over under the machine's uid, once, and counts for nothing else")
    func takeOver() throws {
        var stage = Self.stage()
        try stage.startSession("ada")
        try stage.record("done")
        let next = try stage.showNext()
        try stage.answer(next.id, option: "Great")
        let closing = try #require(Self.closings(stage).last)

        var hub = Stage([Samples.survey()])
        let machine: UInt32 = 4_000_000_000
        let due = hub.engine.earliestDue
        try hub.engine.takeOverPresentation(closing, uid: machine, into: &hub.changes)
        #expect(hub.changes.records.isEmpty)
        #expect(hub.changes.rows.count == 1)
        hub.commit()
        #expect(hub.presentations.map(\.user) == [UserKey(uid: machine, userId: "ada")])
        #expect(hub.presentations.map(\.answers) == [closing.answers])
        #expect(hub.disk.gating.isEmpty)
        #expect(hub.engine.earliestDue == due)
        #expect(hub.engine.surveys.state(of: UserKey(uid: machine, userId: "ada")) == nil)
        try hub.engine.takeOverPresentation(closing, uid: machine, into: &hub.changes)
        hub.commit()
        #expect(hub.presentations.count == 1)
    }

    @Test("where its sessions have other ids here, it goes with those")
    func renamed() throws {
        var closing = Presentation(
            id: Identifier(high: 1, low: 1), survey: "s", user: UserKey(uid: 1, userId: nil), app: "default",
            origin: Identifier(high: 1, low: 2), createdAt: Stage.start, state: .expired, dueAt: Stage.start)
        closing.session = Identifier(high: 1, low: 3)
        let renamed = [
            closing.origin: Identifier(high: 2, low: 2), Identifier(high: 1, low: 3): Identifier(high: 2, low: 3),
        ]
        var hub = Stage()
        try hub.engine.takeOverPresentation(closing, uid: 7, renamed: renamed, into: &hub.changes)
        hub.commit()
        #expect(hub.presentations.map(\.origin) == [Identifier(high: 2, low: 2)])
        #expect(hub.presentations.map(\.session) == [Identifier(high: 2, low: 3)])
    }

    @Test(
        "one that is open is refused, and has changed nothing",
        arguments: [Presentation.State.scheduled, .ready, .presented])
    func open(_ state: Presentation.State) {
        var hub = Stage()
        let open = Presentation(
            id: Identifier(high: 1, low: 1), survey: "s", user: UserKey(uid: 1, userId: nil), app: "default",
            origin: Identifier(high: 1, low: 2), createdAt: hub.now, state: state, dueAt: hub.now)
        #expect(throws: WireError.self) { try hub.engine.takeOverPresentation(open, uid: 7, into: &hub.changes) }
        #expect(hub.changes.isEmpty)
    }

    @Test("who asked a prompt on a machine is nobody on the hub")
    func asker() throws {
        var stage = Self.stage([])
        let asked = try stage.ask(.sample())
        _ = try stage.cancel(asked.prompt.id)
        let closing = try #require(Self.closings(stage).last)
        #expect(closing.prompt?.asker == Stage.uid)
        var hub = Stage()
        try hub.engine.takeOverPresentation(closing, uid: 4_000_000_000, into: &hub.changes)
        hub.commit()
        #expect(throws: WireError.self) { try hub.standing(asked.prompt.id) }
        #expect(try hub.standing(asked.prompt.id, uid: nil).prompt.asker == 4_000_000_000)
    }
}

extension Stage {
    /// Shows the offered survey; there must be one.
    fileprivate mutating func showNext(locale: String? = nil) throws -> Presentation {
        let shown = try presentNext(locale: locale)
        return try #require(shown)
    }
}
