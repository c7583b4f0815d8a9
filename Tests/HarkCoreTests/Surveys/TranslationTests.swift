import HarkCore
import HarkWire
import Testing

@Suite("Translations (S17)")
struct TranslationTests {
    static let locales: [(String?, String)] = [
        ("de", "Ihr Quartal"), ("de-AT", "Ihr Quartal"), ("de_AT.UTF-8", "Ihr Quartal"), ("DE", "Ihr Quartal"),
        ("de_DE@euro", "Ihr Quartal"), ("en", "Your quarter"), ("C", "Your quarter"), (nil, "Your quarter"),
        ("", "Your quarter"), ("dex", "Your quarter"), ("POSIX", "Your quarter"),
    ]

    @Test("a locale chooses its own texts, or those of the next wider one", arguments: locales)
    func choice(locale: String?, title: String) throws {
        let survey = try #require(try Samples.configuration("extended.json").survey("quarterly"))
        #expect(survey.content.localized(locale).title == title)
    }

    @Test("a narrower translation is not for its wider locale")
    func narrow() throws {
        let survey = try #require(try Samples.configuration("extended.json").survey("legacy"))
        #expect(survey.content.localized("de-AT").title == "Ältere Form")
        #expect(survey.content.localized("de-AT").message == "Still read.")
        #expect(survey.content.localized("de").title == "Older form")
    }

    @Test("everything that is shown is translated, and values stay")
    func everything() throws {
        let survey = try #require(try Samples.configuration("extended.json").survey("quarterly"))
        let content = survey.content.localized("de")
        #expect(content.message == "Ein paar Fragen.")
        #expect(content.submitLabel == "Fertig")
        #expect(survey.notification(in: "de")?.body == "Drei Minuten?")
        #expect(survey.notification(in: "de")?.sound == false)
        #expect(survey.notification(in: "fr")?.body == "Three minutes?")
        let questions = content.questionnaire
        #expect(questions.question("recommend")?.prompt == "Wie wahrscheinlich empfehlen Sie uns weiter?")
        let rooms = try #require(questions.question("rooms"))
        #expect(rooms.kind.choices?.map(\.value) == ["Lab", "Shop", "Hall"])
        #expect(rooms.kind.choices?.map(\.label) == ["Labor", "Laden", "Halle"])
        #expect(try rooms.accept(["Laden", "Lab"], path: "a") == .choices(["Lab", "Shop"]))
        #expect(throws: WireError.self) { try rooms.accept(["Lab", "Shop", "Hall"], path: "a") }
        #expect(
            questions.question("pace")?.kind
                == .rating(.init(scale: 3, labels: ["Langsam", "Genau richtig", "Schnell"])))
        #expect(questions.question("lab")?.prompt == "How good is the lab?")
        let both = try #require(try Samples.configuration("extended.json").survey("both")).content.localized("fr")
        #expect(both.questionnaire.question("option")?.prompt == "Alors ?")
        #expect(both.questionnaire.question("text")?.prompt == "Encore ?")
    }

    @Test("the value is recorded for a label in another language, and which text was shown")
    func answering() throws {
        var stage = Stage(try Samples.configuration("extended.json"))
        try stage.record("visit_completed")
        let shown = try #require(try stage.presentNext(locale: "de_AT.UTF-8"))
        #expect(shown.survey == "legacy")
        let text = String(decoding: shown.shown, as: UTF8.self)
        #expect(
            text.contains("Ältere Form") && text.contains(#""label":"Nein""#) && text.contains(#""locale":"de-at""#))
        try stage.answer(shown.id, option: "Nein")
        #expect(
            stage.events("survey_response") == [
                [
                    "id": "legacy", "type": "choice", "option": "No", "title": "Ältere Form", "message": "Still read.",
                    "locale": "de-at",
                ]
            ])
    }
}
