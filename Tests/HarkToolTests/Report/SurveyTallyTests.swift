import HarkAsking
import HarkClient
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
        for presentation in presentations { tally.add(JSONText("{\(presentation)}")) }
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

    @Test("without an answer there is no time, and of an odd number the middle one counts")
    func times() {
        #expect(tally().secondsToAnswer == nil)
        #expect(tally(#""state":"answered""#).secondsToAnswer == nil)
        let three = ["1", "9", "2"].map { #"\#(Self.shown)\#($0).000Z","state":"answered""# }
        #expect(tally(three[0], three[1], three[2]).secondsToAnswer == 2)
    }
}
