import HarkCore
import HarkTesting
import HarkWire
import Testing

@Suite("Results (S16)")
struct ResultsTests {
    static func presentation(
        _ number: Int, _ state: Presentation.State, seconds: Int64 = 0, isShown: Bool = true,
        _ answers: [(String, Answer)] = []
    ) -> Presentation {
        var presentation = Presentation(
            id: Identifier(high: 1, low: UInt64(number)), survey: "s", user: UserKey(uid: 1, userId: nil), app: "a",
            origin: Identifier(high: 2, low: 2), createdAt: Stage.start, state: state, dueAt: Stage.start)
        if isShown { presentation.presentedAt = Stage.start }
        if !state.isOpen { presentation.closedAt = Stage.start.adding(milliseconds: seconds * 1000) }
        for (id, answer) in answers { presentation.answers[id] = answer }
        return presentation
    }

    static let presentations = [
        presentation(1, .answered, seconds: 10, [("option", .choice("Great")), ("text", .text("one"))]),
        presentation(2, .answered, seconds: 40, [("option", .choice("Poor"))]),
        presentation(3, .answered, seconds: 30, [("option", .choice("Great")), ("text", .text("three"))]),
        presentation(4, .dismissed, seconds: 5), presentation(5, .expired, seconds: 5, isShown: false),
        presentation(6, .expired, seconds: 5), presentation(7, .cancelled, seconds: 5, isShown: false),
        presentation(8, .scheduled, isShown: false), presentation(9, .presented),
    ]

    @Test("states, showings, distribution, median and latest texts, in whatever order they come")
    func fold() {
        for shift in 0..<Self.presentations.count {
            var results = SurveyResults(survey: "s", maxTexts: 1)
            for index in Self.presentations.indices {
                results.add(Self.presentations[(index + shift) % Self.presentations.count])
            }
            #expect(results.shown == 6)
            #expect(results.count(.answered) == 3)
            #expect(results.count(.dismissed) == 1)
            #expect(results.count(.expired) == 2)
            #expect(results.count(.ready) == 0)
            #expect(results.distribution.count == 1)
            #expect(results.counts("option") == ["Great": 2, "Poor": 1])
            #expect(results.medianTimeToAnswer == 30_000)
            #expect(results.texts.map(\.text) == ["three"])
        }
    }

    @Test("beside a text is the first choice or number of the same answer, and beside a text alone nothing")
    func beside() {
        var results = SurveyResults(survey: "s")
        results.add(
            Self.presentation(1, .answered, seconds: 1, [("why", .text("alone")), ("rooms", .choices(["a", "b"]))]))
        results.add(
            Self.presentation(
                2, .answered, seconds: 2,
                [("why", .text("slow")), ("stars", .number(2)), ("again", .choice("No"))]))
        #expect(results.texts.map(\.text) == ["slow", "alone"])
        #expect(results.texts.map(\.beside) == [.init(question: "stars", value: "2"), nil])
        let written = String(decoding: results.info(of: nil).json, as: UTF8.self)
        #expect(written.contains(#""text":"slow","beside":{"questionId":"stars","value":"2"}}"#))
        #expect(written.contains(#""text":"alone"}"#))
    }

    @Test("the median of an even number lies in the middle; without answers there is none")
    func median() {
        var results = SurveyResults(survey: "s")
        #expect(results.medianTimeToAnswer == nil)
        results.add(Self.presentation(1, .answered, seconds: 10))
        results.add(Self.presentation(2, .answered, seconds: 21))
        #expect(results.medianTimeToAnswer == 15_500)
    }

    @Test("of very many the median is told within 0.8 %, without keeping each of them")
    func manyTimes() throws {
        var results = SurveyResults(survey: "s")
        var random = SplitMix64(state: 7)
        let seconds = (0..<20_001).map { _ in Int64(random.below(600)) + 1 }
        for (number, seconds) in seconds.enumerated() {
            results.add(Self.presentation(number, .answered, seconds: seconds))
        }
        let median = try #require(results.medianTimeToAnswer)
        let exact = Double(seconds.sorted()[10_000]) * 1_000
        #expect(abs(Double(median) - exact) <= exact * 0.008, "\(median) \(exact)")
    }

    @Test("several choices count each; the score of nps is promoters less detractors")
    func kinds() {
        var results = SurveyResults(survey: "s")
        for (number, score) in [10, 9, 9, 8, 7, 6, 0].enumerated() {
            results.add(
                Self.presentation(
                    number, .answered,
                    [("nps", .number(ExactNumber(Int64(score)) ?? 0)), ("rooms", .choices(["Lab", "Shop"]))]))
        }
        #expect(results.counts("rooms") == ["Lab": 7, "Shop": 7])
        #expect(results.netPromoterScore("nps")?.value == 100.0 / 7)
        #expect(results.netPromoterScore("unknown") == nil)
    }

    @Test("satisfaction is the share of 4 and 5, effort and numbers have a mean, and numbers stand by their size")
    func numbers() throws {
        let questionnaire = try #require(
            Questionnaire.read([
                ["id": "sat", "type": "csat", "question": "S?"], ["id": "effort", "type": "ces", "question": "E?"],
                ["id": "kg", "type": "number", "question": "W?", "unit": "kg"],
            ]).questionnaire)
        let content = SurveyContent(
            title: "T", message: "M", responseType: .questions, questionnaire: questionnaire)
        let survey = Survey(id: "s", content: content, trigger: SurveyTrigger(event: nil))
        var results = SurveyResults(survey: "s")
        for number in 0..<10 {
            let weight = try #require(ExactNumber(number < 5 ? "9.5" : "70.1"))
            results.add(
                Self.presentation(
                    number, .answered,
                    [("sat", .number(number < 8 ? 5 : 3)), ("effort", .number(6)), ("kg", .number(weight))]))
        }
        let questions = try Samples.json(String(decoding: results.info(of: survey).json, as: UTF8.self))["questions"]
        #expect(questions?[0]?["satisfactionScore"] == 80.0)
        // Wilson's interval of 8 of 10.
        #expect(abs((questions?[0]?["satisfactionInterval"]?["low"]?.doubleValue ?? 0) - 49.016) < 0.01)
        #expect(questions?[0]?["mean"] == nil)
        #expect(questions?[1]?["mean"] == 6.0)
        #expect(abs((questions?[2]?["mean"]?.doubleValue ?? 0) - 39.8) < 1e-9)
        #expect(questions?[2]?["answers"]?.arrayValue?.map { $0["value"] } == ["9.5", "70.1"])
    }

    @Test("of very many different numbers the most frequent are told")
    func manyNumbers() throws {
        var results = SurveyResults(survey: "s")
        for number in 0..<300 {
            let answer = try #require(ExactNumber(Int64(number < 250 ? number : 7)))
            results.add(Self.presentation(number, .answered, [("n", .number(answer))]))
        }
        let rows = try #require(results.rows(nil).first).rows
        #expect(rows.count == 100)
        #expect(rows.first { $0.value == "7" }?.count == 51)
        #expect(rows.compactMap { Int($0.value) } == rows.compactMap { Int($0.value) }.sorted())
    }

    @Test("answers nobody gave are listed, too, and those the survey no longer has")
    func rows() throws {
        var results = SurveyResults(survey: "s")
        results.add(Self.presentation(1, .answered, [("option", .choice("Gone")), ("old", .number(3))]))
        results.add(Self.presentation(2, .answered, [("option", .choice("Poor"))]))
        let rows = results.rows(Samples.survey())
        #expect(rows.map(\.id) == ["option", "old"])
        #expect(rows[0].rows.map(\.value) == ["Great", "Okay", "Poor", "Gone"])
        #expect(rows[0].rows.map(\.count) == [0, 0, 1, 1])
        let json = try Samples.json(String(decoding: results.info(of: Samples.survey()).json, as: UTF8.self))
        #expect(json["answered"] == 2)
        #expect(json["questions"]?[0]?["answers"]?[2] == ["value": "Poor", "count": 1])
        #expect(json["questions"]?[0]?["answered"] == 2)
    }
}

extension SurveyResults {
    fileprivate func counts(_ question: String) -> [String: Int]? {
        distribution[question].map { Dictionary(uniqueKeysWithValues: $0.map { ($0.key.text, $0.value) }) }
    }
}
