import HarkWire
import Testing

@testable import HarkCore

@Suite("Images of questions and options")
struct QuestionImageTests {
    private static func survey(_ id: String) throws -> Survey {
        try #require(try Samples.configuration("images.json").survey(id))
    }

    private static func written(_ content: SurveyContent) throws -> JSONValue {
        try Samples.json(String(decoding: content.info.json, as: UTF8.self))
    }

    @Test("each is read with its text, and what has none is as before")
    func reading() throws {
        let questions = try Self.survey("shelf").content.questionnaire
        #expect(
            questions.question("plan")?.image
                == .init("plan.png", alternative: "A plan of the counter: soups on the left, salads on the right"))
        #expect(
            questions.question("lunch")?.kind.choices == [
                .init("Soup", image: .init("pictures/soup.png", alternative: "A red bowl")),
                .init("Salad", image: .init("/srv/hark/salad.png", alternative: "Salad")), .init("Nothing"),
            ])
        let door = try #require(try Self.survey("door").content.questionnaire.question("option"))
        #expect(door.image == .init("doors.svg", alternative: "Two doors, a red one and a blue one"))
        #expect(door.kind.choices?.map(\.emoji) == [nil, "🔵"])
        // An older `options` takes them too.
        let older = try Samples.read(
            #""id":"o","title":"","message":"","options":[{"value":"A","image":"a.png","alt":"An A"},"B"],"#
                + #""trigger":{"event":{"name":"e"}}"#)
        #expect(older.survey?.content.questionnaire.question("option")?.kind.hasImages == true)
    }

    static let refused: [(String, String, String)] = [
        (#""image":"a.png""#, ".alt", "is missing: write what the image shows"),
        (#""alt":"A tree""#, ".alt", "says what an image shows, but there is no 'image'"),
        (#""image":" ","alt":"A tree""#, ".image", "must not be empty"),
        (#""image":"a.png","alt":" ""#, ".alt", "must not be empty"),
        (#""image":"https://example.org/a.png","alt":"A tree""#, ".image", "must be the path of a file"),
    ]

    @Test("an image without a text, and a text without an image, are refused at their place", arguments: refused)
    func refusal(members: String, path: String, words: String) throws {
        let question = try Samples.json(#"[{"id":"q","question":"Q",\#(members)}]"#)
        let fault = Questionnaire.read(question).issues.errors.first
        #expect(fault?.path == "$[0]\(path)" && fault?.message.hasPrefix(words) == true, "\(fault as Any)")
        let option = try Samples.json(
            #"[{"id":"q","question":"Q","type":"single","options":["A",{"value":"B",\#(members)}]}]"#)
        let other = Questionnaire.read(option).issues.errors.first
        #expect(other?.path == "$[0].options[1]\(path)" && other?.message.hasPrefix(words) == true, "\(other as Any)")
    }

    @Test("a translation has texts of its own for images, and labels for options; values and files stay")
    func translation() throws {
        let german = try Self.survey("shelf").content.localized("de").questionnaire
        #expect(german.question("plan")?.image == .init("plan.png", alternative: "Ein Plan der Theke"))
        let choices = try #require(german.question("lunch")?.kind.choices)
        #expect(choices.map(\.value) == ["Soup", "Salad", "Nothing"])
        #expect(choices.map(\.label) == ["Suppe", "Salat", "Nichts"])
        #expect(
            choices.map(\.image) == [
                .init("pictures/soup.png", alternative: "Eine rote Schale"),
                .init("/srv/hark/salad.png", alternative: "Salad"), nil,
            ])
        let french = try Self.survey("shelf").content.localized("fr").questionnaire
        #expect(french.question("lunch")?.kind.choices?.map(\.label) == ["Soupe", "Salade", "Rien"])
        #expect(french.question("lunch")?.kind.choices?[1].image?.alternative == "Salad")
        let door = try Self.survey("door").content.localized("de").questionnaire.question("option")
        #expect(door?.image?.alternative == "Zwei Türen")
        #expect(door?.kind.choices?[0].image == .init("red.svg", alternative: "Die rote Tür"))
        // A text for a missing image has no effect, and is reported.
        let extra = try Samples.read(
            #""id":"o","title":"","message":"","options":["A"],"trigger":{"event":{"name":"e"}},"#
                + #""translations":{"de":{"options":[{"label":"Ah","alt":"Ein A"}],"alt":"Nichts"}}"#)
        #expect(extra.survey?.content.localized("de").questionnaire.question("option")?.kind.choices?[0].label == "Ah")
        #expect(
            extra.issues.warnings.map(\.path) == [
                "$.surveys[0].translations.de.options[0].alt", "$.surveys[0].translations.de.alt",
            ])
    }

    @Test("presenters get them with absolute paths, and the value is what is recorded")
    func writing() throws {
        let survey = try Self.survey("shelf")
        let plain = try Self.written(survey.content)["questions"]
        #expect(plain?[0]?["image"] == "plan.png")
        #expect(plain?[1]?["options"]?[2] == ["value": "Nothing", "label": "Nothing"])
        let shown = survey.withImages { $0.hasPrefix("/") ? $0 : "/etc/hark/\($0)" }
        let json = try Self.written(shown.content.localized("de"))["questions"]
        #expect(json?[0]?["image"] == "/etc/hark/plan.png" && json?[0]?["alt"] == "Ein Plan der Theke")
        #expect(
            json?[1]?["options"]?[0] == [
                "value": "Soup", "label": "Suppe", "image": "/etc/hark/pictures/soup.png", "alt": "Eine rote Schale",
            ])
        #expect(json?[1]?["options"]?[1]?["image"] == "/srv/hark/salad.png")
        let lunch = try #require(shown.content.localized("de").questionnaire.question("lunch"))
        #expect(try lunch.accept("Suppe", path: "a") == .choice("Soup"))
        #expect(try Self.written(try Self.survey("door").content)["response"]?["options"] == ["Red", "Blue"])
    }
}
