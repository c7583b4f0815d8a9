import HarkCore
import HarkWire
import Testing

@Suite("Scales with words at their ends, shapes, and thanks of a survey's own")
struct ScaleTests {
    private static let members = """
        "questions": [
          {"id": "n", "type": "nps", "question": "Recommend?", "lowLabel": "Never", "highLabel": "Surely"},
          {"id": "s", "type": "rating", "question": "Stars?", "shape": "stars", "highLabel": "Best"},
          {"id": "t", "type": "rating", "question": "Thumbs?", "shape": "thumbs"},
          {"id": "o", "type": "rating", "question": "Older?", "scale": 3, "emoji": false}
        ],
        "thanks": {"title": "See you soon", "message": "The next coffee is on us."},
        "translations": {"de": {
          "thanks": {"title": "Bis bald"},
          "questions": {"n": {"lowLabel": "Nie", "highLabel": "Bestimmt"}}}}
        """

    private func written(_ content: SurveyContent) throws -> JSONValue {
        try Samples.json(String(decoding: content.info.json, as: UTF8.self))
    }

    @Test("presenters are told them")
    func told() throws {
        let (survey, issues) = try Samples.read("\(Samples.base), \(Self.members)")
        #expect(issues == DocumentIssues())
        let json = try written(#require(survey).content)
        #expect(json["thanks"] == ["title": "See you soon", "message": "The next coffee is on us."])
        let questions = try #require(json["questions"])
        #expect(questions[0]?["lowLabel"] == "Never" && questions[0]?["highLabel"] == "Surely")
        #expect(questions[0]?["shape"] == nil)
        #expect(questions[1]?["shape"] == "stars" && questions[1]?["highLabel"] == "Best")
        #expect(questions[1]?["lowLabel"] == nil)
        #expect(questions[1]?["emoji"] == ["⭐", "⭐", "⭐", "⭐", "⭐"])
        #expect(questions[2]?["scale"] == 2 && questions[2]?["emoji"] == ["👎", "👍"])
        #expect(questions[3]?["shape"] == "numbers" && questions[3]?["emoji"] == nil)
    }

    @Test("a translation changes the ends that it names, and the thanks as a whole")
    func translated() throws {
        let survey = try #require(try Samples.read("\(Samples.base), \(Self.members)").survey)
        let content = survey.content.localized("de")
        #expect(content.thanks == SurveyThanks(title: "Bis bald"))
        #expect(content.questionnaire.question("n")?.ends == ScaleEnds(low: "Nie", high: "Bestimmt"))
        #expect(content.questionnaire.question("s")?.ends == ScaleEnds(high: "Best"))
    }

    @Test(
        "what fits no scale is refused",
        arguments: [
            (#""type": "rating", "shape": "hearts""#, "must be faces, stars, thumbs, numbers"),
            (#""type": "rating", "shape": "thumbs", "scale": 5"#, "must be 2, as 'thumbs' are down and up"),
            (#""type": "rating", "shape": "stars", "emoji": false"#, "cannot be false with the shape 'stars'"),
            (#""type": "text", "lowLabel": "Never""#, "unknown"),
            (#""type": "nps", "shape": "stars""#, "unknown"),
        ])
    func refused(members: String, word: String) throws {
        let issues = try Samples.read(#"\#(Samples.base), "questions": [{"id": "q", "question": "?", \#(members)}]"#)
            .issues
        #expect((issues.errors + issues.warnings).contains { "\($0)".contains(word) }, "\(issues)")
    }
}
