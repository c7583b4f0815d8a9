import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// The bytes of a showing in a table.
@Suite struct AnswerTableTests {
    /// Ids with characters that JSON escapes, or may.
    private static let survey = SurveyVersions(
        "s",
        [
            DefinitionPage(
                JSONText(
                    #"{"current":{"title":"T","message":"M","questions":[{"id":"a\"b\\n","type":"text"},{"id":"größe","type":"text"},"#
                        + #"{"id":"m","type":"multiple","options":[{"value":""},{"value":"x,\"y\""},{"value":"7"}]}]},"definitions":[],"next":null}"#
                ))
        ])

    private static func cells(
        of survey: SurveyVersions = survey, _ showings: String...
    ) -> (cells: [[String: String]], hasUnknown: [Bool]) {
        let columns = AnswerColumn.all(of: survey)
        var found: ([[String: String]], [Bool]) = ([], [])
        var reader = AnswerReader(survey)
        reader.forEach(in: JSONText(#"{"presentations":[\#(showings.joined(separator: ","))],"next":"7"}"#)) { row, _ in
            var cells: [String: String] = [:]
            for column in columns {
                var text: [UInt8] = []
                column.content.append(row, to: &text)
                if !text.isEmpty { cells[column.name] = String(decoding: text, as: UTF8.self) }
            }
            found.0.append(cells)
            found.1.append(row.hasUnknown)
        }
        return found
    }

    @Test(
        "answers are found by their question's id however that is escaped, in any order, and none is left from the row before"
    )
    func ids() {
        let (cells, hasUnknown) = Self.cells(
            #"{"answers":{"größe":"1","a\"b\\n":"2"},"times":{"items":{"gr\u00f6\u00dfe":{"changes":3,"more":{"changes":9},"seconds":0.50}}}}"#,
            #"{"answers":{"a\u0022b\u005cn":"4","gr\u00f6ße":"5"}}"#, #"{"version":"v"}"#,
            #"{"answers":{"a\"b\n":"6","gr":"7"},"times":{"items":{"gr":{"changes":1}}}}"#,
            #"{"answers":null,"times":[1],"state":"x"}"#)
        let id = #"a"b\n"#
        #expect(
            cells == [
                ["survey": "s", "größe": "1", id: "2", "größe.changes": "3", "größe.seconds": "0.50"],
                ["survey": "s", id: "4", "größe": "5"], ["survey": "s", "version": "v"], ["survey": "s"],
                ["survey": "s", "state": "x"],
            ])
        #expect(hasUnknown == [false, false, false, true, false])
    }

    @Test("texts have their escapes resolved, numbers stay as they are written, null is nothing")
    func values() {
        let (cells, _) = Self.cells(
            #"{ "presentationId" : "\u0000\u001f\ud83d\ude00\t\/" , "unknown":{"state":"no"}, "userId":null,"app":"né \\ \"q\"","#
                + #""reason":1.50e+3 , "times" : { "zone":"Etc/UTC", "reminders":-0, "seconds":1E2 , "state":"no" }, "state":"😀" }"#
        )
        #expect(
            cells == [
                [
                    "showing": "\0\u{1F}😀\t/", "survey": "s", "app": #"né \ "q""#, "reason": "1.50e+3",
                    "zone": "Etc/UTC",
                    "reminders": "-0", "seconds": "1E2", "state": "😀",
                ]
            ])
    }

    @Test("of several choices each has its flag, compared by its text; a number is no choice")
    func choices() {
        let (cells, _) = Self.cells(
            #"{"answers":{"m":["","x,\u0022y\"" , 7]}}"#, #"{"answers":{"m":"7"}}"#, #"{"answers":{"m":[]}}"#,
            #"{"answers":{"m":7}}"#)
        let names = ["m", "m.", #"m.x,"y""#, "m.7"]
        #expect(
            cells.map { cells in names.map { cells[$0] ?? "-" } } == [
                [#";x,"y";7"#, "1", "1", "0"], ["7", "0", "0", "1"], ["-", "0", "0", "0"], ["7", "0", "0", "0"],
            ])
    }

    @Test("each option of a ranking has its place, from 1 on, and nothing where it has none")
    func places() {
        let survey = SurveyVersions(
            "s",
            [
                DefinitionPage(
                    JSONText(
                        #"{"current":{"title":"T","message":"M","questions":[{"id":"r","type":"ranking","top":2,"options":["#
                            + #"{"value":"a"},{"value":"b"},{"value":"c"}]}]},"definitions":[],"next":null}"#))
            ])
        let (cells, _) = Self.cells(of: survey, #"{"answers":{"r":["c","a"]}}"#, #"{"answers":{}}"#)
        let names = ["r", "r.a", "r.b", "r.c"]
        #expect(
            cells.map { cells in names.map { cells[$0] ?? "-" } } == [["c;a", "2", "-", "1"], ["-", "-", "-", "-"]])
    }

    @Test("local time and latency are reckoned from the times that there are")
    func times() {
        let (cells, _) = Self.cells(
            #"{"presentedAt":"2026-03-01T22:30:00.000Z","times":{"utcOffsetMinutes":-90,"plannedAt":"2026-01-01T00:00:00.000Z"}}"#,
            #"{"times":{"notifiedAt":"2026-03-01T22:30:00.000Z","openedAt":"2026-03-01T22:30:00.061Z"}}"#,
            #"{"times":{"utcOffsetMinutes":9223372036854775807,"openedAt":"no time"}}"#)
        #expect(cells.map { $0["local_time"] } == ["2026-03-01T21:00:00", nil, nil])
        #expect(cells.map { $0["latency_seconds"] } == [nil, "0.061", nil])
    }

    @Test(
        "a field has quotes where it needs them, and a text of others is no formula in a spreadsheet",
        arguments: [
            ("plain", "plain", "plain"), ("", "", ""), ("a,b", "\"a,b\"", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\"", "\"say \"\"x\"\"\""), ("\"", "\"\"\"\"", "\"\"\"\""),
            ("a\nb", "\"a\nb\"", "\"a\nb\""), ("\r", "\"\r\"", "\"'\r\""), ("\n=", "\"\n=\"", "\"'\n=\""),
            ("=1+1", "=1+1", "'=1+1"), ("+1", "+1", "'+1"), ("-5", "-5", "'-5"), ("@a,b", "\"@a,b\"", "\"'@a,b\""),
            ("\t=", "\t=", "'\t="), (" =1", " =1", " =1"), ("'=1", "'=1", "'=1"), ("1=1", "1=1", "1=1"),
            ("\0\u{1B}é😀", "\0\u{1B}é😀", "\0\u{1B}é😀"),
            // A quote and an accent are one character to Swift.
            ("\"\u{301}", "\"\"\"\u{301}\"", "\"\"\"\u{301}\""),
        ])
    func fields(text: String, plain: String, spreadsheet: String) {
        for (table, expected) in [(CSVTable(), plain), (CSVTable(isForSpreadsheet: true), spreadsheet)] {
            var row: [UInt8] = []
            table.append(to: &row) { $0 += "before".utf8 }
            table.append(to: &row, isText: true) { $0 += text.utf8 }
            table.append(to: &row) { _ in }
            table.end(&row)
            #expect(String(decoding: row, as: UTF8.self) == "before,\(expected),\r\n")
            #expect(table.row(["before", table.text(text), ""]) == row)
        }
        // Words and numbers of the daemon's stay as they are.
        #expect(String(decoding: CSVTable(isForSpreadsheet: true).row([text]), as: UTF8.self) == plain + "\r\n")
    }

    @Test("columns of ids, words and orders are texts of others, and those of numbers and times are not")
    func texts() {
        let survey = SurveyVersions(
            "s",
            [
                DefinitionPage(
                    JSONText(
                        #"{"current":{"title":"T","message":"M","questions":[{"id":"q","type":"single","shuffle":true,"#
                            + #""options":[{"value":"=a"},{"value":"b"}]}]},"definitions":[],"next":null}"#))
            ])
        let texts = Set(AnswerColumn.all(of: survey).filter(\.isTextOfOthers).map(\.name))
        #expect(texts.isSuperset(of: ["survey", "participant", "variant", "zone", "q", "q.order"]), "\(texts)")
        #expect(texts.isDisjoint(with: ["planned", "utc_offset", "seconds", "q.seconds", "q.changes"]), "\(texts)")
    }

    @Test("on a terminal a field shows what a terminal would obey, and then has quotes where it needs them")
    func visible() {
        let table = CSVTable(visibly: true, isForSpreadsheet: true)
        var row: [UInt8] = []
        for text in ["\u{1B}[2J", "\t=,", "a\nb", "\u{202E}\""] {
            table.append(to: &row, isText: true) { $0 += text.utf8 }
        }
        table.end(&row)
        #expect(String(decoding: row, as: UTF8.self) == #"\e[2J,"'\t=,",a\nb,"\u{202e}"""# + "\"\n")
    }

    @Test("a row without a field, as of a statement that gives no columns, is an empty line")
    func nothing() {
        #expect(CSVTable().row([]) == Array("\r\n".utf8))
        #expect(CSVTable().row([""]) == Array("\r\n".utf8))
    }
}
