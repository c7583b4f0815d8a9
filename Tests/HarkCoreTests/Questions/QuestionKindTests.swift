import HarkWire
import Testing

@testable import HarkCore

@Suite("Question kinds for numbers, usual scales, yes and no")
struct QuestionKindTests {
    private static func read(_ members: String) -> (question: Question?, issues: DocumentIssues) {
        let text = #"[{"id":"q","question":"Q",\#(members)}]"#
        guard let document = try? JSONDocument(Array(text.utf8), .json).value else {
            preconditionFailure("no JSON: \(text)")
        }
        let (questionnaire, issues) = Questionnaire.read(document)
        return (questionnaire?.questions.first, issues)
    }

    static let accepted: [(String, JSONValue, Answer?)] = [
        (#""type":"number""#, 12.5, .number(ExactNumber(12.5) ?? 0)), (#""type":"number""#, -3, .number(-3)),
        (#""type":"number","min":0,"step":0.25"#, 0.75, .number(ExactNumber(0.75) ?? 0)),
        (#""type":"number","integer":true"#, 7.0, .number(7)), (#""type":"number""#, .null, nil),
        (#""type":"scale""#, 0, .number(0)), (#""type":"scale""#, 100, .number(100)),
        (#""type":"scale","min":-1,"max":1,"step":0.1"#, 0.3, .number(ExactNumber(0.3) ?? 0)),
        (#""type":"csat""#, 5, .number(5)), (#""type":"ces""#, 7, .number(7)),
        (#""type":"yes-no""#, "no", .choice("no")), (#""type":"yes-no""#, "Yes", .choice("yes")),
        (#""type":"note""#, .null, nil),
        (#""type":"date""#, " 2024-02-29 ", .choice("2024-02-29")),
        (#""type":"date","min":"2026-01-01","max":"2026-01-31""#, "2026-01-31", .choice("2026-01-31")),
        // Limits that depend on the day are checked when the day is known.
        (#""type":"date","min":"today""#, "1999-01-01", .choice("1999-01-01")),
        (#""type":"date","required":false"#, " ", nil), (#""type":"time""#, "00:00", .choice("00:00")),
        (#""type":"time","min":"22:00","max":"06:00""#, "23:59", .choice("23:59")),
        (#""type":"time","min":"22:00","max":"06:00""#, "06:00", .choice("06:00")),
    ]

    @Test("what may be answered is taken exactly", arguments: accepted)
    func acceptance(members: String, value: JSONValue, answer: Answer?) throws {
        let (question, issues) = Self.read(members)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty)
        #expect(try #require(question).accept(value, path: "a") == answer)
    }

    static let refused: [(String, JSONValue, String)] = [
        (#""type":"number""#, "12,5", "must be a number, without quotes"),
        (#""type":"number""#, 0.12345678, "at most 6 digits behind the point"),
        (#""type":"number","min":0"#, -1, "must be a number of at least 0"),
        (#""type":"number","max":9"#, 10, "must be a number of at most 9"),
        (#""type":"number","min":0,"max":24,"step":0.25"#, 7.3, "from 0 to 24, in steps of 0.25"),
        (#""type":"number","integer":true"#, 1.5, "must be a whole number"),
        (#""type":"number","step":5"#, 12, "in steps of 5 from 0"),
        (#""type":"scale""#, 101, "a whole number from 0 to 100"),
        (#""type":"scale""#, 2.5, "a whole number from 0 to 100"),
        (#""type":"csat""#, 0, "a whole number from 1 to 5"), (#""type":"ces""#, 8, "a whole number from 1 to 7"),
        (#""type":"yes-no""#, true, "must be one of its options"), (#""type":"yes-no""#, "maybe", "'Yes', 'No'"),
        (#""type":"note""#, "x", "takes no answer"),
        (#""type":"date""#, "2026-02-29", "must be a date, such as \"2026-01-31\"; 2026-02 has 28 days"),
        (#""type":"date""#, "31.1.2026", "must be a date"), (#""type":"date""#, 20_260_131, "as a string"),
        (#""type":"date""#, "", "must be a date"), (#""type":"date""#, "0000-01-01", "must be a date"),
        (#""type":"date","min":"2026-01-01""#, "2025-12-31", "must be a date from 2026-01-01 on"),
        (#""type":"date","max":"2026-01-01""#, "2026-01-02", "must be a date up to 2026-01-01"),
        (#""type":"time""#, "24:00", "must be a time of day, such as \"14:30\""),
        (#""type":"time""#, "9:30", "must be a time of day"), (#""type":"time""#, "12:60", "must be a time of day"),
        (#""type":"time","min":"22:00","max":"06:00""#, "06:01", "from 22:00 to 06:00"),
        (#""type":"time","min":"08:00""#, "07:59", "not before 08:00"),
    ]

    @Test("what may not is refused, and the error says what is right", arguments: refused)
    func refusal(members: String, value: JSONValue, reason: String) throws {
        let question = try #require(Self.read(members).question)
        let error = #expect(throws: WireError.self) { try question.accept(value, path: "answers.q") }
        #expect(error?.path == "answers.q")
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test("a bound that depends on the day is told as a date")
    func relativeBounds() throws {
        let question = try #require(Self.read(#""type":"date","min":"today","max":"+2w""#).question)
        let today = try #require(CivilDate("2026-11-27"))
        let error = #expect(throws: WireError.self) {
            try question.accept("2027-01-01", path: "answers.q", on: today)
        }
        #expect(error?.message.contains("must be a date from 2026-11-27 to 2026-12-11") == true)
    }

    @Test("an error names the first twenty of many options")
    func manyOptions() throws {
        let options = (1...100).map { "\"o\($0)\"" }.joined(separator: ",")
        for type in ["single", "multiple"] {
            let question = try #require(Self.read(#""type":"\#(type)","options":[\#(options)]"#).question)
            let value: JSONValue = type == "single" ? "x" : ["x"]
            let error = #expect(throws: WireError.self) { try question.accept(value, path: "answers.q") }
            #expect(error?.message.hasSuffix("'o19', 'o20' and 80 more") == true, "\(error?.message ?? "")")
        }
    }

    static let faults: [(String, String, String)] = [
        (#""type":"numbr""#, "$[0].type", "must be single, multiple, text, rating, nps, csat, ces, scale, number"),
        (#""type":"number","min":5,"max":5"#, "$[0].max", "must be greater than min (5)"),
        (#""type":"number","step":0"#, "$[0].step", "must be greater than 0"),
        (#""type":"number","integer":true,"step":0.5"#, "$[0].step", "must be a whole number"),
        (#""type":"number","integer":true,"min":0.5"#, "$[0].min", "must be a whole number"),
        (#""type":"number","min":"0""#, "$[0].min", "must be a number with at most 6 digits"),
        (#""type":"scale","max":10,"step":3"#, "$[0].max", "is not reached from min (0) in steps of 3"),
        (#""type":"scale","max":1000000"#, "$[0].step", "is too small: a scale has at most 10000 steps"),
        (#""type":"scale","show":"buttons""#, "$[0].show", "cannot be 'buttons' for more than 11 numbers"),
        (#""type":"scale","labels":{"101":"x"}"#, "$[0].labels.101", "must stand at a whole number from 0 to 100"),
        (#""type":"scale","labels":["x"]"#, "$[0].labels", "must be an object of texts by their numbers"),
        (#""type":"csat","labels":["a","b"]"#, "$[0].labels", "each of the 5 ratings"),
        (#""type":"ces","shape":"thumbs""#, "$[0].shape", "cannot be 'thumbs'"),
        (#""type":"yes-no","labels":["Yes"]"#, "$[0].labels", "two texts, for yes and for no"),
        (#""type":"date","min":"2026-02-30""#, "$[0].min", "must be a date such as \"2026-01-31\", \"today\""),
        (#""type":"date","min":"-7x""#, "$[0].min", "such as \"-7d\""),
        (#""type":"date","min":"-200000y""#, "$[0].min", "must be a date"),
        (#""type":"date","min":"2026-02-01","max":"2026-01-01""#, "$[0].max", "must not be before min (2026-02-01)"),
        (#""type":"date","min":"today","max":"-1d""#, "$[0].max", "must not be before min (today)"),
        (#""type":"date","min":5"#, "$[0].min", "must be a date"),
        (#""type":"time","min":"24:00""#, "$[0].min", "must be a time of day"),
        (#""type":"time","min":"09:00","max":"09:00""#, "$[0].max", "must differ from min (09:00)"),
    ]

    @Test("a fault of a document is told at its member, with what is right", arguments: faults)
    func documents(members: String, path: String, words: String) {
        let errors = Self.read(members).issues.errors
        #expect(errors.contains { $0.path.hasPrefix(path.prefix(11)) && $0.message.contains(words) }, "\(errors)")
    }

    @Test("what lies so far from today goes by the day of the answer, with a day more on each side")
    func relative() throws {
        let question = try #require(Self.read(#""type":"date","min":"-7d","max":"+1m""#).question)
        let today = try #require(CivilDate("2026-01-31"))
        for (date, isTaken) in [
            ("2026-01-22", false), ("2026-01-23", true), ("2026-03-01", true), ("2026-03-02", false),
        ] {
            #expect((try? question.accept(.string(date), path: "a", on: today)) == (isTaken ? .choice(date) : nil))
        }
        let grown = try #require(Self.read(#""type":"date","max":"-18y""#).question)
        let leapDay = try #require(CivilDate("2024-02-29"))
        #expect(throws: WireError.self) { try grown.accept("2006-03-02", path: "a", on: leapDay) }
        #expect(try grown.accept("2006-02-28", path: "a", on: leapDay) == .choice("2006-02-28"))
    }

    private static let several =
        #""type":"multiple","minSelections":2,"exclusive":["none"],"options":[{"value":"a","label":"The A"},"b","#
        + #"{"value":"none","label":"None of these","emoji":"🚫"}]"#

    @Test("an option that stands alone is taken alone, by value or label, and the least number is not held against it")
    func exclusive() throws {
        let (question, issues) = Self.read(Self.several)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty)
        let asked = try #require(question)
        #expect(try asked.accept(["None of these"], path: "a") == .choices(["none"]))
        #expect(try asked.accept(["b", "The A"], path: "a") == .choices(["a", "b"]))
        let error = #expect(throws: WireError.self) { try asked.accept(["a", "none"], path: "a") }
        #expect(error?.message.contains("takes 'None of these' alone") == true)
        #expect(throws: WireError.self) { try asked.accept(["a"], path: "a") }
        // A translation keeps it.
        let german = asked.translated(QuestionTranslation(labels: ["A", "B", "Nichts davon"]))
        #expect(german.kind.choices?.map(\.isExclusive) == [false, false, true])
        #expect(try german.accept(["Nichts davon"], path: "a") == .choices(["none"]))
    }

    private static let ranking = #""type":"ranking","top":2,"options":["a",{"value":"b","label":"The B"},"c"]"#

    @Test("a ranking takes as many options as it says, in their order")
    func order() throws {
        let (question, issues) = Self.read(Self.ranking)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty)
        let asked = try #require(question)
        #expect(try asked.accept(["c", "The B"], path: "a") == .choices(["c", "b"]))
        #expect(try asked.accept(["b", "c"], path: "a") != .choices(["c", "b"]))
        for (given, words) in [
            (["a"], "takes 2 of its options, the best first, not 1"), (["a", "b", "c"], "not 3"),
            (["a", "a"], "names an option twice"), (["a", "x"], "must be one of its options"),
        ] as [(JSONValue, String)] {
            let error = #expect(throws: WireError.self) { try asked.accept(given, path: "a") }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        #expect(
            Self.read(#""type":"ranking","options":["a"]"#).issues.errors[0].message.contains("two options or more"))
        #expect(Self.read(#""type":"ranking","options":["a","b"],"top":3"#).issues.errors[0].path == "$[0].top")
    }

    @Test("a ranking's results tell the mean place of each option, and how often it was the first")
    func ranks() throws {
        var answers = Answers()
        var results = SurveyResults(survey: "s")
        for (order, number) in [(["a", "b"], 3), (["b", "c"], 1)] {
            answers["q"] = .choices(order)
            results.count(
                ShowingKind(state: .answered, isShown: true, isAbandoned: false, answers: answers, seen: []), number)
        }
        let places = try #require(results.places["q"])
        #expect(places["a"] == SurveyResults.Places(firsts: 3, sum: 3, count: 3))
        #expect(places["b"] == SurveyResults.Places(firsts: 1, sum: 7, count: 4))
        #expect(places["c"] == SurveyResults.Places(firsts: 0, sum: 2, count: 1))
    }

    @Test("a consent has words of its own, a version, and neither answer beforehand")
    func consent() throws {
        let question = try #require(Self.read(#""type":"consent","version":"2026-03""#).question)
        #expect(question.kind.choices?.map(\.label) == ["I agree", "I do not agree"])
        #expect(try question.accept("I do not agree", path: "a") == .choice("no"))
        #expect(String(decoding: question.info().json, as: UTF8.self).contains(#""version":"2026-03""#))
        #expect(Self.read(#""type":"consent","labels":["Yes"]"#).issues.errors[0].path == "$[0].labels")
    }

    @Test("only an option can stand alone")
    func unknownExclusive() {
        let errors = Self.read(#""type":"multiple","options":["a"],"exclusive":["b"]"#).issues.errors
        #expect(errors.map(\.path) == ["$[0].exclusive[0]"] && errors[0].message.contains("one of the 'options'"))
    }

    @Test("a branch that no date takes is warned of")
    func dateBranches() {
        func warnings(_ when: String) -> [String] {
            Self.read(#""type":"date","next":[{"when":\#(when),"to":"end"}]"#).issues.warnings.map(\.message)
        }
        #expect(warnings(#""2026-02-30""#).contains { $0.contains("its answers are a date") })
        #expect(!warnings(#""2026-02-28""#).contains { $0.contains("its answers are a date") })
    }

    @Test("members of another kind are warned of")
    func others() {
        #expect(Self.read(#""type":"note","min":1"#).issues.warnings.map(\.path) == ["$[0].min"])
        #expect(Self.read(#""type":"number","lowLabel":"x""#).issues.warnings.map(\.path) == ["$[0].lowLabel"])
    }

    @Test("a scale is buttons while it is short, and a slider beyond")
    func controls() throws {
        func control(_ members: String) throws -> ScaleControl? {
            guard case .scale(let scale) = try #require(Self.read(members).question).kind else { return nil }
            return scale.control
        }
        #expect(try control(#""type":"scale","max":10"#) == .buttons)
        #expect(try control(#""type":"scale","max":11"#) == .slider)
        #expect(try control(#""type":"scale","max":10,"show":"slider""#) == .slider)
    }

    @Test("a question that was shown is read back from the store as it was, and checks answers the same way")
    func shown() throws {
        for members in [
            #""type":"number","min":0.5,"step":0.1,"unit":"kg""#,
            #""type":"scale","max":10,"labels":{"0":"no","10":"yes"},"showValue":false"#,
            #""type":"csat""#, #""type":"ces""#, #""type":"yes-no","labels":["Aye","Nay"]"#, #""type":"note""#,
            #""type":"consent","version":"2""#, Self.ranking, Self.several, #""type":"date","min":"-7d","max":"today""#,
            #""type":"time","min":"22:00","max":"06:00""#,
        ] {
            let question = try #require(Self.read(members).question)
            let content = SurveyContent(
                title: "T", message: "M", responseType: .questions, questionnaire: Questionnaire([question]))
            let again = try #require(SurveyContent(shown: content.info.json)?.questionnaire.questions.first)
            #expect(again.kind.type == question.kind.type)
            #expect(again.kind.numbers == question.kind.numbers)
            #expect(again.kind.moments == question.kind.moments)
            // Their emoji are not needed to check answers.
            let told = { (kind: Question.Kind) in
                (kind.choices ?? []).map { "\($0.value) \($0.label) \($0.isExclusive)" }
            }
            #expect(told(again.kind) == told(question.kind))
            if case .consent(_, let version) = again.kind { #expect(version == "2") }
            if case .ranking(_, let top) = again.kind { #expect(top == 2) }
        }
    }

    @Test("numbers survive the store and a fleet digit by digit, and whole ones are kept as ever")
    func packing() throws {
        var answers = Answers()
        answers["d"] = .number(try #require(ExactNumber("-0.1")))
        answers["n"] = .number(7)
        #expect(Answers(packed: answers.packed) == answers)
        #expect(Answers(recordText: answers.recordText) == answers)
        // As in lists of showings, which are written from the row.
        var presentation = ResultsTests.presentation(1, .answered)
        presentation.answers = answers
        var json = JSONWriter()
        presentation.withTold { $0.write(to: &json) }
        #expect(String(decoding: json.bytes, as: UTF8.self).contains(#""answers":{"d":-0.1,"n":7}"#))
        // As earlier versions wrote it.
        var old = Properties.none
        old.append("nn", .integer(7))
        #expect(Answers(packed: old)["n"] == .number(7))
        // A number that no version has written is no answer.
        var damaged = Properties.none
        damaged.append("dn", .string("1e5"))
        #expect(Answers(packed: damaged).isEmpty)
    }

    @Test("a note is passed without an answer, and no progress counts it")
    func notes() throws {
        let questions = try #require(
            Questionnaire.read([
                ["id": "note", "type": "note", "question": "Read this.", "required": true],
                ["id": "n", "type": "number", "question": "How many?"],
            ]).questionnaire)
        #expect(questions.route(Answers()).missing?.id == "n")
        var answers = Answers()
        answers["n"] = .number(1)
        #expect(questions.route(answers).missing == nil)
        #expect(try questions.complete(answers) { $0 }.members.map(\.id) == ["n"])
        let form = Form(id: "f", title: "F", questionnaire: questions)
        #expect(form.progress(in: nil).total == 1)
        #expect(form.progress(in: nil).next == "n")
    }

    @Test("branches that no number takes are told")
    func branches() {
        func warnings(_ when: String) -> [String] {
            Self.read(#""type":"number","min":0,"max":10,"next":[{"when":\#(when),"to":"end"}]"#).issues.warnings
                .map(\.message)
        }
        #expect(warnings(#"{"op":"gt","value":10}"#).first?.contains("its answers are a number from 0 to 10") == true)
        #expect(warnings(#"{"op":"lt","value":0}"#).count == 1 && warnings(#""a""#).count == 1)
        #expect(warnings(#"{"op":"gt","value":9.5}"#).isEmpty && warnings("3").isEmpty)
    }

    @Test("translations change words, and neither values nor limits")
    func translations() throws {
        let text = """
            {"surveys": [{"id": "s", "title": "T", "message": "M", "trigger": {"event": {"name": "e"}}, "questions": [
                {"id": "n", "type": "number", "question": "Weight?", "unit": "pounds"},
                {"id": "p", "type": "scale", "question": "Pain?", "labels": {"0": "none", "100": "most"}},
                {"id": "y", "type": "yes-no", "question": "Again?"}
            ], "translations": {"de": {"questions": {
                "n": {"question": "Gewicht?", "unit": "Pfund"}, "p": {"labels": {"100": "am meisten"}},
                "y": {"labels": ["Jawohl", "Nein"]}
            }}}}]}
            """
        let document = try JSONDocument(Array(text.utf8), .json).value
        let (configuration, issues) = SurveyConfiguration.read(document)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let survey = try #require(configuration?.surveys.first)
        let questions = survey.content.localized("de").questionnaire.questions
        #expect(questions[0].kind.numbers?.unit == "Pfund")
        guard case .scale(let scale) = questions[1].kind else { throw WireError(.internalError, "no scale") }
        #expect(scale.labels.map(\.text) == ["none", "am meisten"])
        #expect(questions[2].kind.choices?.map(\.label) == ["Jawohl", "Nein"])
        #expect(questions[2].kind.choices?.map(\.value) == ["yes", "no"])
    }
}
