import HarkClient
import HarkWire
import Testing

@testable import HarkTool

@Suite("Tables that are wider than the terminal")
struct TextTableTests {
    private static let plain = TextStyle(coloured: false)
    private static let rows = [
        ["name", "meaning"], ["events", "what was recorded, by whom and when"], ["x", "short"],
    ]

    @Test("in a pipe a row is one line")
    func pipe() {
        #expect(TextTable.text(Self.rows, Self.plain).split(separator: "\n").count == 3)
    }

    @Test("the last column is wrapped below itself, between words")
    func wrapped() {
        let text = TextTable.text(Self.rows, Self.plain, columns: 30)
        #expect(
            text == """
                name    meaning
                events  what was recorded, by
                        whom and when
                x       short
                """)
    }

    @Test("nothing is wider than the terminal, even where the columns before the last one are")
    func narrow() {
        let row = ["2026-11-21 12:08:00", "ready", "visit", "ada", "default", "How was it?", "0193a7c0-0000-7000"]
        for columns in [20, 40, 60, 80, 100] {
            let lines = TextTable.text([row, row], Self.plain, columns: columns).split(separator: "\n").map(String.init)
            for line in lines { #expect(TextWidth.of(line) <= columns, "\(columns): \(line)") }
            #expect(lines.joined(separator: " ").split(separator: " ").filter { $0 == "visit" }.count == 2)
        }
    }

    @Test("how somebody has rated stands before what they wrote")
    func beside() {
        let results = SurveyResultInfo(
            JSONText(
                #"{"surveyId":"s","texts":[{"at":"2026-11-21T11:08:00.000Z","questionId":"t","text":"Slow.","beside":"#
                    + #"{"questionId":"r","value":"Poor"}},{"at":"2026-11-21T11:08:00.000Z","questionId":"t","text":"Hm."}]}"#
            ))
        let lines = ResultsText(results, Self.plain, columns: 80).text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasSuffix("  Poor  Slow.") })
        #expect(lines.contains { $0.hasSuffix("  Hm.") && !$0.contains("Poor") })
    }
}
