import HarkAsking
import HarkClient
import HarkWire
import Testing

@testable import HarkTool

@Suite struct SurveyTallyTests {
    private static let questions = [
        #"{"id":"mood","type":"single","question":"How?","options":[{"value":"é","label":"Good"},{"value":"bad"}]}"#,
        #"{"id":"stars","type":"rating","question":"","scale":3}"#,
        #"{"id":"wants","type":"multiple","question":"What?","options":[{"value":"a"},{"value":"b"}]}"#,
        #"{"id":"why","type":"text","question":"Why?"}"#,
    ].compactMap { SurveyQuestion(JSONText($0)) }

    private func tally(_ presentations: String...) -> SurveyTally {
        var tally = SurveyTally(id: "s", questions: Self.questions)
        for presentation in presentations { tally.add(PresentationInfo(JSONText("{\(presentation)}"))) }
        return tally
    }

    private static let shown = #""presentedAt":"2026-11-21T11:08:00.000Z","closedAt":"2026-11-21T11:08:0"#

    @Test("answers count for their choices, whatever kind they are of, and texts are only counted")
    func counts() {
        let tally = tally(
            #"\#(Self.shown)4.000Z","state":"answered","answers":{"mood":"é","stars":3,"wants":["a","b"],"why":"secret"}"#,
            #"\#(Self.shown)2.000Z","state":"answered","answers":{"mood":"e\u0301","stars":9,"wants":["b"]}"#,
            #"\#(Self.shown)9.000Z","state":"dismissed","answers":{"mood":"bad"}"#,
            #""state":"ready""#)
        #expect(tally.questions.map(\.counts) == [[1, 0], [0, 0, 1], [1, 2], []])
        #expect(tally.questions.map(\.answers) == [2, 2, 2, 1])
        #expect(tally.questions.map(\.others) == [1, 1, 0, 0])
        #expect(tally.shown == 3 && tally.answered == 2)
        #expect(tally.states == ["answered": 2, "dismissed": 1, "ready": 1])
        #expect(tally.secondsToAnswer == 3)
    }

    @Test("numbers have a mean, satisfaction is the share of 4 and 5, and a note is not told")
    func numbers() throws {
        let questions = [
            #"{"id":"hello","type":"note","question":"N"}"#,
            #"{"id":"kg","type":"number","question":"W?"}"#,
            #"{"id":"pain","type":"scale","question":"P?","min":0,"max":10,"step":0.5,"show":"slider"}"#,
            #"{"id":"visit","type":"csat","question":"V?","scale":5}"#,
            #"{"id":"easy","type":"ces","question":"E?","scale":7}"#,
        ].map { QuestionInfo(JSONText($0)) }
        var tally = SurveyTally(id: "s", title: "T", asking: questions)
        for answers in [
            #"{"kg":70.5,"pain":2.5,"visit":5,"easy":7}"#, #"{"kg":-0.5,"pain":3,"visit":4,"easy":2}"#,
            #"{"kg":20,"visit":3}"#,
        ] {
            tally.add(PresentationInfo(JSONText(#"{\#(Self.shown)4.000Z","state":"answered","answers":\#(answers)}"#)))
        }
        #expect(tally.questions.map(\.question.id) == ["kg", "pain", "visit", "easy"])
        #expect(tally.questions.map { $0.mean?.mean } == [30, 2.75, nil, 4.5])
        #expect(tally.questions[2].satisfaction == SatisfactionScore(satisfied: 2, of: 3))
        #expect(tally.questions.map(\.isText) == [false, false, false, false])
        #expect(tally.emptied.questions.map(\.type) == tally.questions.map(\.type))
    }

    @Test("a ranking has the mean place of each option and how often it was the first, and dates are no texts")
    func ranking() throws {
        let questions = [
            #"{"id":"rank","type":"ranking","question":"R?","options":[{"value":"a"},{"value":"b"},{"value":"c"}]}"#,
            #"{"id":"day","type":"date","question":"D?"}"#, #"{"id":"hour","type":"time","question":"H?"}"#,
            #"{"id":"why","type":"text","question":"W?"}"#,
        ].map { QuestionInfo(JSONText($0)) }
        var tally = SurveyTally(id: "s", title: "T", asking: questions)
        let answered = [
            #"{"rank":["b","a"],"day":"2026-01-31","hour":"14:30","why":"Slow"}"#, #"{"rank":["b","x"]}"#,
        ].map { PresentationInfo(JSONText(#"{\#(Self.shown)4.000Z","state":"answered","answers":\#($0)}"#)) }
        for presentation in answered { tally.add(presentation) }
        let ranks = try #require(tally.questions.first?.ranks)
        #expect(ranks.map { $0.choice.label } == ["b", "a", "c"])
        #expect(ranks.map(\.mean) == [1, 2, nil] && ranks.map(\.first) == [2, 0, 0])
        #expect(tally.questions.dropFirst().allSatisfy { $0.ranks.isEmpty })
        #expect(tally.texts(of: answered[0]).map(\.text) == ["Slow"])
        #expect(tally.emptied.questions.first?.ranks.map(\.mean) == [nil, nil, nil])
    }

    @Test("without an answer there is no time, and of an odd number the middle one counts")
    func times() {
        #expect(tally().secondsToAnswer == nil)
        #expect(tally(#""state":"answered""#).secondsToAnswer == nil)
        let three = ["1", "9", "2"].map { #"\#(Self.shown)\#($0).000Z","state":"answered""# }
        #expect(tally(three[0], three[1], three[2]).secondsToAnswer == 2)
    }
}
