import HarkCore
import HarkWire
import Testing

@Suite("Editing surveys while they wait or are shown")
struct ConfigurationChangeTests {
    @Test("a survey that is gone is cancelled with a reason: what is scheduled, ready and shown, loaded or not")
    func removal() throws {
        let gone = [Samples.survey("a", event: "a"), Samples.survey("b", event: "b", delay: Stage.hour)]
        let kept = Samples.survey("c", event: "c", delay: Stage.hour)
        for restarting in [false, true] {
            var stage = Stage(gone + [kept])
            for event in ["a", "b", "c"] { try stage.record(event) }
            try stage.presentNext()
            if restarting { stage.restart() }
            stage.configure(SurveyConfiguration([kept]))
            #expect(stage.presentations.map(\.state) == [.cancelled, .cancelled, .scheduled])
            #expect(stage.presentations.first?.reason == "surveyRemoved")
            #expect(stage.presentations.first?.closedAt == stage.now)
            let id = try #require(stage.presentations.first).id
            let error = #expect(throws: WireError.self) { try stage.answer(id, option: "Great") }
            #expect(error?.reason == .alreadyClosed)
            #expect(error?.message.contains("surveyRemoved") == true)
            stage.pass(Stage.hour)
            #expect(stage.offer()?.survey == "c")
        }
    }

    @Test("what is scheduled is shown with the text of its time, and the response tells which it was")
    func changedWhileScheduled() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour, content: Samples.text(title: "Old"))])
        try stage.record("done")
        stage.configure(
            SurveyConfiguration([Samples.survey(delay: Stage.hour, content: Samples.text(title: "New"))]))
        stage.pass(Stage.hour)
        let shown = try #require(try stage.presentNext())
        #expect(String(decoding: shown.shown, as: UTF8.self).contains("New"))
        try stage.answer(shown.id, text: "words")
        #expect(stage.events("survey_response").first?["title"] == "New")
    }

    @Test("what is shown with a text that changed goes back and is shown anew, counted once")
    func changedWhileShown() throws {
        var stage = Stage([Samples.survey(content: Samples.text(title: "Old"))])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        stage.configure(SurveyConfiguration([Samples.survey(content: Samples.text(title: "New"))]))
        let late = #expect(throws: WireError.self) { try stage.answer(shown.id, text: "to the old text") }
        #expect(late?.reason == .conflict)
        let again = try #require(try stage.presentNext())
        #expect(again.id == shown.id)
        try stage.answer(again.id, text: "to the new text")
        let event = try #require(stage.events("survey_response").first)
        #expect(event["title"] == "New")
        #expect(event["text"] == "to the new text")
        #expect(stage.events("survey_presented").count == 1)
        #expect(String(decoding: try #require(stage.disk.presentations[shown.id]).shown, as: UTF8.self).contains("New"))
    }

    @Test("what is shown stays when only its rules change")
    func rulesChanged() throws {
        var stage = Stage([Samples.survey()])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        stage.configure(SurveyConfiguration([Samples.survey { $0.maxAttempts = 7 }, Samples.survey("more")]))
        #expect(stage.presentations.map(\.state) == [.presented])
        try stage.answer(shown.id, option: "Great")
    }

    @Test("a reset lets a survey be shown again")
    func reset() throws {
        var stage = Stage([Samples.survey { $0.oncePerUser = true }])
        try stage.record("done")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        let user = UserKey(uid: Stage.uid, userId: nil)
        #expect(stage.engine.resetSurveys(user, survey: "unknown", into: &stage.changes) == 0)
        #expect(stage.engine.resetSurveys(user, survey: nil, into: &stage.changes) == 1)
        stage.commit()
        #expect(stage.disk.gating[user] == [:])
        try stage.record("done")
        #expect(stage.offer() != nil)
    }
}

@Suite("Surveys and the removal of data (E6)")
struct SurveyRemovalTests {
    @Test("clearing a user removes what was asked and answered, and what gating remembers, of this user only")
    func user() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour)])
        for user in ["u", "v"] {
            try stage.startSession(user)
            try stage.record("done")
        }
        stage.pass(Stage.hour)
        try stage.startSession("u")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        stage.clear(.user("u"))
        #expect(stage.presentations.map(\.user.userId) == ["v"])
        #expect(stage.gating("rating", "u") == Gating())
        try stage.startSession("v")
        #expect(stage.offer() != nil)
    }

    @Test("what is cleared does not come back from a store that has not carried it out yet")
    func race() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour)])
        try stage.startSession("u")
        try stage.record("done")
        let id = try #require(stage.presentations.first).id
        stage.restart()
        stage.commitsEachStep = false
        stage.clear(.all)
        stage.now = stage.now.adding(milliseconds: Stage.hour)
        stage.fire()
        #expect(stage.changes.records.isEmpty)
        let error = #expect(throws: WireError.self) { try stage.present(id) }
        #expect(error?.reason == .notFound)
        #expect(stage.offer() == nil)
        // Nor is the session gone on with.
        try stage.record("other")
        #expect(stage.changes.records.last?.session.userId == nil)
        stage.commit()
        #expect(stage.presentations.isEmpty)
    }

    @Test("what comes about after a clear in the same transaction stays")
    func after() throws {
        var stage = Stage([Samples.survey()])
        try stage.startSession("u")
        try stage.record("done")
        stage.commitsEachStep = false
        stage.clear(.all)
        try stage.startSession("u")
        try stage.record("done")
        stage.commit()
        #expect(stage.presentations.count == 1)
        #expect(stage.offer() != nil)
    }

    @Test("clearing a session removes what came about or was shown in it, and gating stays")
    func session() throws {
        var stage = Stage([Samples.survey(), Samples.survey("later", event: "later", delay: Stage.hour)])
        let first = try stage.startSession("u")
        try stage.record("done")
        try stage.record("later")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        try stage.startSession("u")
        try stage.record("later")
        stage.clear(.session(first.identity.id))
        #expect(stage.presentations.count == 1)
        #expect(stage.gating("rating", "u").completed != nil)
    }
}
