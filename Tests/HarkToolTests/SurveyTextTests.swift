import Foundation
import HarkClient
import HarkWire
import Testing

@testable import HarkTool

@Suite struct SurveyTextTests {
    private let plain = TextStyle(coloured: false)

    private static let results = SurveyResultInfo(
        JSONText(
            #"{"surveyId":"s","shown":4,"scheduled":1,"ready":0,"presented":1,"answered":3,"dismissed":1,"expired":0,"#
                + #""cancelled":0,"medianSecondsToAnswer":12.4,"questions":[{"questionId":"option","question":"How?","answered":3,"#
                + #""answers":[{"value":"Poor","count":0},{"value":"Great","count":3}]},{"questionId":"n","#
                + #""answered":1,"netPromoterScore":-33.3,"answers":[{"value":"0","count":1}]}],"#
                + #""texts":[{"at":"2026-11-21T11:08:00.000Z","questionId":"text","text":"Say \"hi\", and\nbye"}]}"#))

    @Test("parts by a number and by the text of its digits have different names")
    func names() {
        let parts = [#""3""#, "3", #""pro""#, "null"].map { #"{"by":\#($0),"shown":1,"questions":[]}"# }
            .joined(separator: ",")
        let results = SurveyResultInfo(
            JSONText(#"{"surveyId":"s","shown":4,"questions":[],"texts":[],"parts":[\#(parts)]}"#))
        let lines = ResultsText(results, plain, columns: 50).text.split(separator: "\n").suffix(4)
        #expect(lines.map { $0.prefix { $0 != " " } } == [#""3""#, "3", "pro", "-"])
    }

    @Test("those that nobody has closed are told among those dismissed")
    func abandoned() {
        let results = SurveyResultInfo(
            JSONText(#"{"surveyId":"s","shown":3,"dismissed":3,"abandoned":2,"questions":[],"texts":[]}"#))
        #expect(ResultsText(results, plain, columns: 50).text.contains("\ndismissed    3, 2 of them abandoned\n"))
        #expect(ResultsCSV.text(results).contains("s,total,,abandoned,2,"))
    }

    @Test("results have counts, bars as wide as there is room, and the latest texts")
    func results() {
        let time = Timestamp("2026-11-21T11:08:00.000Z").map { LocalTime.text($0).prefix(16) } ?? ""
        #expect(
            ResultsText(Self.results, plain, columns: 50).text == """
                s
                shown        4
                answered     3 (75 %)
                dismissed    1
                expired      0
                cancelled    0
                waiting      2
                median time  12 s to answer

                How?  too few to generalize
                  Poor   0    0 %
                  Great  3  100 %  ███████████████████████████████

                n  net promoter score -33  too few to generalize
                  0  1  100 %  ███████████████████████████████████

                latest texts
                  \(time)  Say "hi", and
                                    bye
                """)
    }

    @Test("a bar is exact to an eighth of a column", arguments: [(0, ""), (1, "▌"), (3, "█▌"), (8, "████")])
    func bars(count: Int64, expected: String) {
        #expect(ResultsText.bar(count, of: 8, 4) == expected)
    }

    @Test("the table for other programs quotes what needs it and ends its lines with CR LF")
    func csv() {
        let lines = ResultsCSV.text(Self.results).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.first == "survey,kind,question,value,count,at,low,high,from,by")
        #expect(lines.contains("s,total,,answered,3,,,,,"))
        #expect(lines.contains("s,medianSecondsToAnswer,,12.4,,,,,,"))
        #expect(lines.contains("s,answer,option,Great,3,,,,,"))
        #expect(lines.contains("s,text,text,\"Say \"\"hi\"\", and\nbye\",,2026-11-21T11:08:00.000Z,,,,"))
        #expect(lines.last == "")
    }

    @Test("in tables for spreadsheets ids, people and reasons are no formulas")
    func spreadsheet() {
        let table = CSVTable(isForSpreadsheet: true)
        let results = SurveyResultInfo(
            JSONText(
                #"{"surveyId":"=s","shown":1,"questions":[{"questionId":"+q","answered":1,"#
                    + #""answers":[{"value":"@a","count":1}]}],"#
                    + #""texts":[],"dropOff":[{"questionId":"-d","seen":1,"answered":1,"left":0}]}"#))
        let lines = ResultsCSV.text(results, table).components(separatedBy: "\r\n")
        #expect(lines.contains("'=s,answer,'+q,'@a,1,,,,,"), "\(lines)")
        #expect(lines.contains("'=s,dropOff,'-d,seen,1,,,,,"), "\(lines)")

        var tally = StudyTally(survey: "=s")
        tally.add(
            PresentationInfo(
                JSONText(
                    #"{"state":"expired","userId":"=1+1","uid":1,"machine":"@m","reason":"-r","#
                        + #""times":{"occasion":"fixed","studyGroup":"+g","studyDay":1}}"#)))
        let row = StudyTable.row(tally.participants[0], of: tally, table)
        #expect(row.prefix(4) == ["'=s", "'=1+1", "'@m", "'+g"] && row.last == "'-r=1", "\(row)")
    }

    @Test("an explanation marks each check and has its numbers")
    func explanation() {
        let explanation = JSONText(
            #"{"surveyId":"s","userId":"ada","wouldShow":false,"gatingBypassed":true,"checks":["#
                + #"{"check":"started","passed":true,"explanation":"has no start date"},"#
                + #"{"check":"maxAttempts","passed":false,"explanation":"3 of 3 attempts are used"}]}"#)
        #expect(
            ExplanationText(SurveyExplained(explanation), plain).text == """
                s would not be shown to ada now
                debug mode: limits are bypassed
                ✓ started      has no start date
                ✗ maxAttempts  3 of 3 attempts are used
                """)
    }

    @Test("on a terminal what fails comes first, in words and by the clocks here, and no word is broken")
    func explanationOnTerminal() throws {
        let until = try #require(Timestamp("2026-11-21T11:08:00.000Z"))
        let explanation = JSONText(
            #"{"surveyId":"s","userId":null,"wouldShow":false,"gatingBypassed":false,"checks":["#
                + #"{"check":"oncePerSession","passed":true,"explanation":"once a session; was not shown in this one"},"#
                + #"{"check":"newCheck","passed":true,"explanation":"is new"},"#
                + #"{"check":"cooldown","passed":false,"explanation":"10 s are left, until 2026-11-21T11:08:00.000Z; so"}]}"#
        )
        #expect(
            ExplanationText(SurveyExplained(explanation), plain, columns: 44).text == """
                s would not be shown now
                ✗ time between two  10 s are left, until
                                    \(LocalTime.secondText(until)); so
                ✓ once per session  once a session; was not
                                    shown in this one
                ✓ new check         is new
                """)
        #expect(
            ExplanationText(SurveyExplained(explanation), plain, columns: 38).text.contains(
                "\n✓ once per session\n  once a session; was not shown in\n  this one\n"))
    }

    @Test("an explanation begins with why what waits is not shown")
    func notShown() {
        let explanation = JSONText(
            #"{"surveyId":"s","userId":"ada","wouldShow":false,"gatingBypassed":false,"notShown":"nobody is there","#
                + #""notifyProblem":"it failed","checks":[{"check":"notPending","passed":false,"explanation":"is ready"}]}"#
        )
        #expect(
            ExplanationText(SurveyExplained(explanation), plain).text == """
                s waits already and is not shown to ada: nobody is there
                ✗ notPending  is ready
                """)
    }

    @Test(
        "spans of time are read",
        arguments: [("90s", 90), ("10m", 600), ("1h", 3600), ("2d", 172_800), ("1w", 604_800), ("45", 45)])
    func duration(text: String, expected: Int64) throws {
        #expect(try DurationArgument.parse(text, name: "TIME") == expected)
    }

    @Test("what is no span of time is refused", arguments: ["", "h", "1y", "-1h", "1.5h", "99999999999999999w", "1h "])
    func noDuration(text: String) {
        #expect(throws: ToolError.self) { try DurationArgument.parse(text, name: "TIME") }
    }
}
