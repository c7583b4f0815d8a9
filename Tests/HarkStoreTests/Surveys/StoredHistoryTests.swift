import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

@Suite("Histories in the store")
struct StoredHistoryTests {
    static let scope = Scope(uid: 1000, app: "shop")

    private static var survey: Survey {
        let plain = StoredSurveyTests.survey()
        var survey = Survey(id: plain.id, content: plain.content, trigger: plain.trigger)
        survey.audience.events = [
            Audience.EventRule(EventPattern("done"), Audience.Frequency(atLeast: 2, within: StoredStage.hour)),
            Audience.EventRule(
                EventPattern("done", .value("n", Matcher(.gt, .int(0)))), Audience.Frequency(atLeast: 1)),
        ]
        return survey
    }

    @Test("when events came and surveys were shown is read as it was, and goes with its user alone")
    func stored() async throws {
        let stage = try StoredStage(SurveyConfiguration([Self.survey]))
        for user in ["ada", "ben"] {
            _ = try stage.start(user, Self.scope)
            for number in 0..<3 {
                try stage.record("done", Self.scope, [("n", .integer(Int64(number)))])
                stage.now = stage.now.adding(milliseconds: 7)
            }
        }
        _ = try stage.present(try #require(try stage.offer(Self.scope)).id)
        try await stage.commit()
        let user = UserKey(uid: 1000, userId: "ben")
        let known = try #require(stage.engine.surveys.state(of: user))
        #expect(known.eventTimes.values.map(\.times.count).sorted() == [2, 3])
        #expect(known.gating.values.map(\.recent.times.count) == [1])
        try stage.restart()
        try stage.reader.bring(.user(user), to: &stage.engine)
        let read = try #require(stage.engine.surveys.state(of: user))
        #expect(read.eventTimes == known.eventTimes && read.gating == known.gating)

        _ = stage.engine.clear(.user("ben"), uid: nil, now: stage.now, into: &stage.changes)
        try await stage.commit()
        try stage.restart()
        for (id, isLeft) in [("ben", false), ("ada", true)] {
            let user = UserKey(uid: 1000, userId: id)
            try stage.reader.bring(.user(user), to: &stage.engine)
            #expect(stage.engine.surveys.state(of: user)?.eventTimes.isEmpty == !isLeft, "\(id)")
        }
        let query = PersonQuery(userId: "ada", uid: nil, machines: nil)
        let first = try stage.reader.eventTimes(of: query, after: nil, limit: 1)
        let place = try #require(first.first.map { (uid: $0.user.uid, rule: $0.rule) })
        let rest = try stage.reader.eventTimes(of: query, after: place, limit: 10)
        #expect((first + rest).map { EventPattern.event(ofRule: $0.rule) } == ["done", "done"])
    }

    @Test("what a rule does not count yet is read as it was, and who was first seen when by the index of sessions")
    func gaps() async throws {
        let stage = try StoredStage(SurveyConfiguration([]))
        _ = try stage.start("ada", Self.scope)
        try stage.record("done", Self.scope)
        stage.engine.configure(SurveyConfiguration([Self.survey]), now: stage.now, into: &stage.changes)
        let began = stage.now
        stage.now = stage.now.adding(milliseconds: StoredStage.hour)
        _ = try stage.start("ada", Self.scope)
        try await stage.commit()
        let gap = RuleGaps.Gap(after: 0, through: 2)
        #expect(try stage.reader.eventRules().values.map(\.gaps) == [[gap], [gap]])
        try stage.restart()
        let reading = try #require(stage.engine.pastToRead(now: stage.now))
        #expect(reading.name == "done" && reading.gap == gap)
        let user = UserKey(uid: 1000, userId: "ada")
        try stage.reader.bring(.user(user), to: &stage.engine)
        #expect(stage.engine.surveys.state(of: user)?.firstSeen == began)
        let database = try Database(path: stage.store.path, access: .write)
        let plan = try database.prepare("EXPLAIN QUERY PLAN " + SurveyReader.firstSession)
        var steps: [String] = []
        while try plan.step() { steps.append(plan.text(3) ?? "") }
        #expect(steps == ["SEARCH session USING INDEX session_by_user (uid=? AND user=?)"])
        _ = stage.engine.clear(.user("ada"), uid: nil, now: stage.now, into: &stage.changes)
        try await stage.commit()
        #expect(try stage.reader.read(.user(user)).firstSeen == nil)
    }
}

extension Supply {
    fileprivate var firstSeen: Timestamp? {
        guard case .user(_, let state) = self else { return nil }
        return state.firstSeen
    }
}
