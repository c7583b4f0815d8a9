import HarkCore
import HarkWire
import Testing

@Suite("Which users are held in memory")
struct SurveyBookTests {
    static let crowd = SurveyBook.capacity + 500

    static func scope(_ number: Int) -> Scope { Scope(uid: Stage.uid, app: "app\(number)") }

    static func isLoaded(_ number: Int, _ stage: Stage) -> Bool {
        stage.engine.surveys.isLoaded(UserKey(uid: Stage.uid, userId: "u\(number)"))
    }

    @Test("users, surveys and events are told apart byte for byte: é in one scalar is not é in two")
    func bytes() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        var stage = Stage([Samples.survey(one, event: one), Samples.survey(two, event: two)])
        for user in [one, two] {
            try stage.startSession(user)
            try stage.record(one)
            try stage.dismiss(try #require(try stage.presentNext()).id)
            try stage.record(two)
        }
        #expect(stage.presentations(.ready).map { Array($0.survey.utf8) } == [Array(two.utf8), Array(two.utf8)])
        try stage.startSession("other")
        // Everybody is in memory.
        stage.clear(.user(one))
        for (user, count) in [(one, 0), (two, 1)] {
            let state = try #require(stage.engine.surveys.state(of: UserKey(uid: Stage.uid, userId: user)))
            #expect(state.open.count == count && state.gating.count == count)
        }
        let gating = try #require(stage.disk.gating[UserKey(uid: Stage.uid, userId: two)])
        #expect(gating.keys.map { Array($0.text.utf8) } == [Array(one.utf8)])
    }

    @Test("a user with changes that are not committed is never dropped")
    func uncommitted() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour)])
        stage.commitsEachStep = false
        for number in 0..<Self.crowd {
            try stage.startSession("u\(number)", in: Self.scope(number))
            try stage.record("done", in: Self.scope(number))
        }
        #expect((0..<Self.crowd).allSatisfy { Self.isLoaded($0, stage) })
        for number in 0..<10 { try stage.record("done", in: Self.scope(number)) }
        stage.commit()
        #expect(stage.disk.all.count == Self.crowd)
        // Once all is committed, the next ones make room.
        for number in Self.crowd..<Self.crowd + 10 {
            try stage.startSession("u\(number)", in: Self.scope(number))
            try stage.record("done", in: Self.scope(number))
        }
        #expect((0..<Self.crowd).count { Self.isLoaded($0, stage) } <= SurveyBook.capacity)
        // A dropped user is loaded again, unchanged.
        for number in 0..<20 { try stage.record("done", in: Self.scope(number)) }
        stage.commit()
        #expect(stage.disk.all.count == Self.crowd + 10)
    }

    @Test("a user to whom something is shown is never dropped")
    func shown() throws {
        var stage = Stage([Samples.survey()])
        try stage.startSession("shown")
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        stage.commitsEachStep = false
        for round in 0..<3 {
            for number in 0..<Self.crowd {
                try stage.startSession("u\(round)-\(number)", in: Self.scope(number))
                try stage.record("done", in: Self.scope(number))
            }
            stage.commit()
        }
        try stage.startSession("another")
        stage.commit()
        #expect(stage.disk.presentations[shown.id]?.state == .ready)
    }
}
