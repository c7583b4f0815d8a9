import HarkClient
import HarkWire
import Testing

@testable import HarkTool

@Suite struct CodebookTests {
    /// Two versions and a translation: a question more, an option less, and other words for the same values.
    private static let survey = SurveyVersions(
        "s",
        [
            DefinitionPage(
                JSONText(
                    #"{"current":{"title":"T","message":"M","responseType":"questions","questions":[\#(choice("Good","Bad")),\#(rest)]},"#
                        + #""definitions":[{"version":"old","count":2,"firstAt":"2026-01-01T00:00:00.000Z","lastAt":"2026-01-02T00:00:00.000Z","#
                        + #""shown":{"title":"Old","message":"M","responseType":"questions","questions":[\#(choice("Gone","Good"))]}},"#
                        + #"{"version":"new","count":3,"firstAt":"2026-02-01T00:00:00.000Z","lastAt":"2026-02-02T00:00:00.000Z","#
                        + #""shown":{"title":"T","message":"M","responseType":"questions","questions":[\#(choice("Good","Bad")),\#(rest)]}}],"next":"7"}"#
                )),
            DefinitionPage(
                JSONText(
                    #"{"current":null,"definitions":[{"version":"new","count":1,"firstAt":"2026-02-03T00:00:00.000Z","lastAt":"2026-02-03T00:00:00.000Z","#
                        + #""shown":{"title":"T","message":"M","responseType":"questions","questions":[\#(choice("Good","Bad")),\#(rest)]}},"#
                        + #"{"version":"de","count":1,"firstAt":"2026-03-01T00:00:00.000Z","lastAt":"2026-03-01T00:00:00.000Z","#
                        + #""shown":{"title":"D","message":"M","responseType":"questions","locale":"de","#
                        + #""questions":[{"id":"q","type":"single","question":"Wie?","required":true,"options":[{"value":"Good","label":"Gut"}]}]}}],"next":null}"#
                )),
        ])

    private static func choice(_ options: String...) -> String {
        let options = options.map { #"{"value":"\#($0)","label":"\#($0)"}"# }.joined(separator: ",")
        return #"{"id":"q","type":"single","question":"How?","required":true,"options":[\#(options)]}"#
    }
    private static let rest =
        #"{"id":"n","type":"nps","question":"","required":false},{"id":"m","type":"multiple","question":"Which?","required":false,"#
        + #""options":[{"value":"a","label":"a"},{"value":"b","label":"b"}]}"#

    /// Calls `body` with the showing that this is.
    private static func read(_ text: String, of survey: SurveyVersions = survey, _ body: (AnswerRow) -> Void) {
        var reader = AnswerReader(survey)
        reader.forEach(in: JSONText(#"{"presentations":[\#(text)],"next":null}"#)) { row, line in
            body(row)
            #expect(line.text == text)
        }
    }

    private static func missing(_ text: String, _ question: Int, of survey: SurveyVersions = survey) -> AnswerRow
        .Missing?
    {
        var missing: AnswerRow.Missing?
        read(text, of: survey) { missing = $0.missing(question, in: survey) }
        return missing
    }

    @Test("questions and options are those of now, then those of before, each with all its labels")
    func versions() {
        let survey = Self.survey
        #expect(survey.title == "T" && survey.questions.map(\.id) == ["q", "n", "m"])
        #expect(survey.questions[0].choices.map(\.value) == ["Good", "Bad", "Gone"])
        #expect(
            survey.questions[0].choices[0].labels == ["Good", "Gut"] && survey.questions[0].prompts == ["How?", "Wie?"])
        // A question without words of its own is asked by the message.
        #expect(survey.questions[1].prompt == "M" && survey.questions[1].range == 0...10)
        #expect(survey.versions.map(\.name) == ["de", "new", "old"])
        #expect(
            survey.versions.map(\.count) == [1, 4, 2]
                && survey.versions[1].last == Timestamp("2026-02-03T00:00:00.000Z"))
    }

    @Test("a question without an answer was passed over where it was before the person, and else nobody was asked")
    func missing() {
        let times = #""times":{"items":{"n":{"seconds":1.5,"changes":0}}}"#
        let seen = #"{"state":"answered","version":"new","answers":{"q":"Good"},\#(times)}"#
        #expect((0..<3).map { Self.missing(seen, $0) } == [nil, .passedOver, .notAsked])
        #expect(Self.missing(#"{"state":"dismissed"}"#, 0) == .notAsked)
        let sheet = SurveyVersions(
            "s",
            [
                DefinitionPage(
                    JSONText(
                        #"{"current":null,"definitions":[{"version":"v","count":1,"firstAt":"","lastAt":"","shown":{"title":"","message":"M","#
                            + #""responseType":"combined","questions":[{"id":"option","type":"single","options":[{"value":"x","label":"x"}]},"#
                            + #"{"id":"text","type":"text"}]}}],"next":null}"#))
            ])
        // Both are before the person at once.
        #expect(
            Self.missing(#"{"state":"answered","version":"v","answers":{"option":"x"}}"#, 1, of: sheet) == .passedOver)
    }

    @Test("of several choices one column has all, and each option has one; an answer has its time beside it")
    func columns() {
        let columns = AnswerColumn.all(of: Self.survey)
        var cells: [String: String] = [:]
        Self.read(
            #"{"presentationId":"p","state":"answered","userId":null,"answers":{"q":"Gone","m":["b"],"n":7},"#
                + #""times":{"notifiedAt":"2026-03-01T22:30:00.000Z","openedAt":"2026-03-01T22:30:02.500Z","utcOffsetMinutes":120}}"#
        ) { row in
            for column in columns {
                var text: [UInt8] = []
                column.content.append(row, to: &text)
                cells[column.name] = String(decoding: text, as: UTF8.self)
            }
        }
        func cell(_ name: String) -> String? { cells[name] }
        #expect([cell("q"), cell("n"), cell("m"), cell("m.a"), cell("m.b")] == ["Gone", "7", "b", "0", "1"])
        #expect(cell("participant") == "" && cell("latency_seconds") == "2.5")
        #expect(cell("local_time") == "2026-03-02T00:30:02")
        #expect(columns.suffix(2).map(\.name) == ["m.seconds", "m.changes"])
    }

    @Test("the text of Other has a column of its own in the place of a flag, and an order by chance has one")
    func other() {
        let survey = SurveyVersions(
            "s",
            [
                DefinitionPage(
                    JSONText(
                        #"{"current":{"title":"T","message":"M","responseType":"questions","questions":["#
                            + #"{"id":"m","type":"multiple","question":"Which?","required":true,"shuffle":true,"options":["#
                            + #"{"value":"a","label":"A"},{"value":"b","label":"B"},{"value":"other","label":"Other","other":true}]},"#
                            + #"{"id":"m.other","type":"text","question":"Other","of":"m","required":true}]},"definitions":[],"next":null}"#
                    ))
            ])
        let columns = AnswerColumn.all(of: survey)
        let names = columns.map(\.name).filter { $0.hasPrefix("m") && $0 != "machine" }
        #expect(
            names == [
                "m", "m.a", "m.b", "m.other", "m.seconds", "m.changes", "m.order", "m.other.seconds", "m.other.changes",
            ])
        #expect(columns.first { $0.name == "m.other" }?.meaning == "Which?: Other")
        var cells: [String: String] = [:]
        Self.read(
            #"{"state":"answered","answers":{"m":["a","other"],"m.other":"C; D"},"order":{"m":["b","a","other"]}}"#,
            of: survey
        ) { row in
            for column in columns {
                var text: [UInt8] = []
                column.content.append(row, to: &text)
                cells[column.name] = String(decoding: text, as: UTF8.self)
            }
        }
        #expect(
            ["m", "m.a", "m.b", "m.other", "m.order"].map { cells[$0] } == ["a;other", "1", "0", "C; D", "b;a;other"])
    }

    @Test("a row of a matrix has a column of its own, told with what is asked of all rows")
    func matrix() {
        func row(_ id: String) -> String {
            #"{"id":"care.\#(id)","type":"single","question":"The \#(id)","matrix":{"id":"care","question":"How was this?"},"#
                + #""required":true,"options":[{"value":"good","label":"Good"},{"value":"bad","label":"Not good"}]}"#
        }
        let survey = SurveyVersions(
            "s",
            [
                DefinitionPage(
                    JSONText(
                        #"{"current":{"title":"T","message":"M","responseType":"questions","questions":["#
                            + #"\#(row("food")),\#(row("price"))]},"definitions":[],"next":null}"#))
            ])
        let columns = AnswerColumn.all(of: survey)
        #expect(
            columns.map(\.name).filter { $0.hasPrefix("care") && !$0.hasSuffix("s") } == ["care.food", "care.price"])
        #expect(columns.first { $0.name == "care.food" }?.meaning == "How was this?: The food")
    }

    @Test(
        "names are what every program takes: letters, digits and underscores, a letter first, none that is a word of its own",
        arguments: [
            ("rating", "rating"), ("1st", "q1st"), ("größe", "gr__e"), ("with", "with_q"), ("STR12", "STR12_q"),
            ("你好", "q"),
            ("a b?", "a_b"), (String(repeating: "x", count: 70), String(repeating: "x", count: 32)),
        ])
    func names(_ id: String, _ name: String) {
        #expect(Codebook.name(id) == name)
    }

    @Test(
        "names and labels that are the same get a number, within the length there may be; texts are cut at a character")
    func unique() {
        var names = UniqueNames(ignoringCase: true)
        #expect(["a", "A", "a", "a_2"].map { names.add($0) } == ["a", "A_2", "a_3", "a_2_2"])
        let long = String(repeating: "y", count: 32)
        #expect([long, long].map { names.add($0, most: 32) }.map(\.utf8.count) == [32, 32])
        #expect("aä€".cut(atBytes: 5) == "aä" && "👍🏽x".cut(atBytes: 7) == "" && "abc".cut(atBytes: 3) == "abc")
    }

    @Test("scripts quote what was written by others, and the folder is read as it is")
    func scripts() {
        let book = Codebook(Self.survey)
        let scripts = StatisticsScripts(book)
        #expect(scripts.spss.contains("VALUE LABELS q\n  1 'Good'\n  2 'Bad'\n  3 'Gone'\n  -77 'not asked'"))
        #expect(scripts.spss.contains("MISSING VALUES n (-77, -99)."))
        #expect(
            scripts.stata.contains("label values q L_q")
                && scripts.stata.contains("mvdecode n, mv(-77 = .a \\ -99 = .b)"))
        #expect(scripts.r.contains(#"factor(data$q, levels = c(1, 2, 3), labels = c("Good", "Bad", "Gone"))"#))
        let text = CodebookText(book).text
        #expect(text.contains("| 1 | Good | Good; Gut |") && text.contains("It was also asked as: Wie?"))
        let fields = JSONText(DataPackage(book).text).member("resources")?.elements.first?.member("schema")?.member(
            "fields")
        #expect(fields?.elements.count == book.variables.count)
    }

    @Test("numbers have their unit and decimals, and codes for what is missing only where none is an answer")
    func measures() throws {
        let survey = SurveyVersions(
            "s",
            [
                DefinitionPage(
                    JSONText(
                        #"{"current":{"title":"T","message":"M","responseType":"questions","questions":["#
                            + #"{"id":"hello","type":"note","question":"Read this."},"#
                            + #"{"id":"kg","type":"number","question":"Weight?","min":0,"unit":"kg"},"#
                            + #"{"id":"t","type":"number","question":"Degrees?","step":1},"#
                            + #"{"id":"pain","type":"scale","question":"Pain?","min":0,"max":100,"step":1,"labels":{"0":"none"}},"#
                            + #"{"id":"ok","type":"yes-no","question":"Well?","options":[{"value":"yes","label":"Yes"},"#
                            + #"{"value":"no","label":"No"}]}]},"definitions":[],"next":null}"#))
            ])
        #expect(survey.questions.map(\.id) == ["kg", "t", "pain", "ok"])
        let book = Codebook(survey)
        let kinds = try ["kg", "t", "pain", "ok"].map { name in
            try #require(book.variables.first { $0.name == name })
        }
        #expect(
            kinds.map(\.column.kind) == [
                .measure(isWhole: false, hasCodes: true), .measure(isWhole: true, hasCodes: false),
                .measure(isWhole: true, hasCodes: true), .choice(3),
            ])
        #expect(kinds.map(\.hasMissingCodes) == [true, false, true, true])
        #expect(kinds[0].column.meaning == "Weight? [kg]")
        #expect(kinds[2].labels.map(\.label) == ["none"])
        let scripts = StatisticsScripts(book)
        #expect(scripts.spss.contains("    kg F20.6\n    t F14.0\n    pain F14.0\n    ok F8.0"))
        #expect(scripts.spss.contains("MISSING VALUES kg (-77, -99).") && !scripts.spss.contains("MISSING VALUES t "))
        #expect(scripts.r.contains(#"    kg = "numeric""#))
        let package = DataPackage(book).text
        #expect(package.contains("\"number\"") && package.contains("Weight? [kg]"))
        let text = CodebookText(book).text
        #expect(text.contains("At least 0.\n") && text.contains("From 0 to 100.\n") && !text.contains("From 1 to 1"))
    }
}
