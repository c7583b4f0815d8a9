import HarkCore
import HarkWire
import Testing

@Suite("Presentations as JSON")
struct WritingTests {
    @Test("a presenter gets everything it needs to show the survey in its language")
    func writing() throws {
        var stage = Stage(try Samples.configuration("visit.json"))
        try stage.startSession("u")
        try stage.record("visit_completed")
        stage.pass(Stage.hour)
        let shown = try #require(try stage.presentNext(locale: "de"))
        var writer = JSONWriter()
        shown.write(to: &writer, survey: stage.engine.surveys.configuration.survey(shown.survey))
        let json = try Samples.json(String(decoding: writer.bytes, as: UTF8.self))
        #expect(json["presentationId"] == .string("\(shown.id)"))
        #expect(json["surveyId"] == "visit-feedback")
        #expect(json["state"] == "presented")
        #expect(json["userId"] == "u")
        #expect(json["triggerAt"] == "2026-11-21T12:00:00.000Z")
        #expect(json["presentedAt"] == "2026-11-21T12:00:00.000Z")
        #expect(json["title"] == "How was your visit?")
        #expect(json["responseType"] == "combined")
        #expect(json["submitLabel"] == "Send feedback")
        #expect(json["notification"]?["sound"] == true)
        let option = try #require(json["questions"]?[0])
        #expect(option["type"] == "single")
        #expect(option["question"] == "How would you rate your visit?")
        #expect(option["options"]?[4] == ["value": "Excellent", "label": "Excellent", "emoji": "🤩"])
        let text = try #require(json["questions"]?[1])
        #expect(text["required"] == false)
        #expect(text["maxLength"] == 500)
        #expect(text["placeholder"] == "Anything at all")
    }

    @Test("every kind of question is written with its bounds")
    func kinds() throws {
        let survey = try #require(try Samples.configuration("extended.json").survey("quarterly"))
        var writer = JSONWriter()
        writer.beginArray()
        for question in survey.content.questionnaire.questions { question.info().write(to: &writer) }
        writer.endArray()
        let json = try Samples.json(String(decoding: writer.bytes, as: UTF8.self))
        #expect(json[0]?["type"] == "nps")
        #expect(json[1]?["maxSelections"] == 2)
        // Rooms are no ratings: no stars.
        #expect(json[1]?["options"]?[0] == ["value": "Lab", "label": "Lab"])
        #expect(json[2]?["scale"] == 10)
        #expect(json[2]?["emoji"] == nil)
        #expect(json[3]?["emoji"] == ["😞", "🙂", "🤩"])
        #expect(json[3]?["labels"] == ["Slow", "Right", "Fast"])
        #expect(json[5]?["minLength"] == 3)
    }
}
