import HarkCore
import HarkWire
import Testing

@Suite("Answers to one question")
struct QuestionTests {
    static let rooms = ["Lab", "Shop", "Hall"].map { Question.Choice($0) }

    struct Row: Sendable, CustomTestStringConvertible {
        let question: Question
        let value: JSONValue
        let answer: Answer?

        init(_ kind: Question.Kind, _ value: JSONValue, _ answer: Answer?, required: Bool = true) {
            question = Question(id: "q", kind: kind, isRequired: required)
            self.value = value
            self.answer = answer
        }

        var testDescription: String { "\(question.kind.type): \(value)" }
    }

    static let accepted: [Row] = [
        Row(.single(rooms), "Shop", .choice("Shop")),
        Row(.single([.init("Shop", label: "Laden"), .init("Hall", label: "Shop")]), "Laden", .choice("Shop")),
        Row(.single([.init("Shop", label: "Laden"), .init("Hall", label: "Shop")]), "Shop", .choice("Shop")),
        Row(.multiple(rooms, 1...2), ["Hall", "Lab"], .choices(["Lab", "Hall"])),
        Row(.multiple(rooms, 1...2), [], nil, required: false),
        Row(.text(.init()), "  words\n", .text("words")),
        Row(.text(.init(minLength: 5)), " 12345 ", .text("12345")),
        Row(.text(.init(maxLength: 5)), "   12345      ", .text("12345")),
        Row(.text(.init(maxLength: 3)), "👨‍👩‍👧‍👦e\u{301}🇩🇪", .text("👨‍👩‍👧‍👦e\u{301}🇩🇪")),
        Row(.text(.init(minLength: 5)), " \u{3000}\t\u{2028} ", nil, required: false),
        Row(.text(.init()), "", nil, required: false),
        Row(.rating(.init(scale: 7)), 7, .number(7)), Row(.rating(.init()), 1.0, .number(1)),
        Row(.nps, 0, .number(0)), Row(.nps, 10, .number(10)), Row(.nps, .null, nil),
    ]

    @Test("what may be answered is taken in its final form", arguments: accepted)
    func acceptance(row: Row) throws {
        #expect(try row.question.accept(row.value, path: "a") == row.answer)
    }

    static let refused: [(Question.Kind, JSONValue, String)] = [
        (.single(rooms), "Kitchen", "must be one of its options: 'Lab', 'Shop', 'Hall'"),
        (.single(rooms), "lab", "must be one of its options"), (.single(rooms), 1, "as a string"),
        (.multiple(rooms, 1...2), ["Lab", "Shop", "Hall"], "at most 2 of its options (maxSelections), not 3"),
        (.multiple(rooms, 2...3), ["Lab"], "at least 2 of its options (minSelections), not 1"),
        (.multiple(rooms, 1...3), [], "at least 1 of its options"),
        (.multiple(rooms, 1...3), ["Lab", "Lab"], "names an option twice"),
        (.multiple(rooms, 1...3), "Lab", "must be an array"),
        (.multiple(rooms, 1...3), ["Attic"], "one of its options"),
        (.text(.init()), " \n\t ", "must not be empty"), (.text(.init()), 5, "must be a string"),
        (.text(.init(minLength: 5)), "  1234  ", "at least 5 characters (minLength), not 4"),
        (.text(.init(maxLength: 5)), "123456", "at most 5 characters (maxLength), not 6"),
        (.text(.init(minLength: 2)), "👨‍👩‍👧‍👦", "at least 2 characters (minLength), not 1"),
        (.rating(.init()), 6, "from 1 to 5"), (.rating(.init()), 0, "from 1 to 5"),
        (.rating(.init()), 2.5, "from 1 to 5"),
        (.rating(.init()), "5", "from 1 to 5"), (.nps, 11, "from 0 to 10"), (.nps, -1, "from 0 to 10"),
    ]

    @Test("what may not is refused, and the error says which rule failed", arguments: refused)
    func refusal(kind: Question.Kind, value: JSONValue, reason: String) throws {
        let question = Question(id: "q", kind: kind)
        let error = #expect(throws: WireError.self) { try question.accept(value, path: "answers.q") }
        #expect(error?.reason == .invalidParams)
        #expect(error?.path?.hasPrefix("answers.q") == true)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test("answers survive being packed")
    func packing() {
        var answers = Answers()
        answers["single"] = .choice("a")
        answers["multiple"] = .choices(["x", "y", "z"])
        answers["t"] = .text("words || and | more")
        answers["n"] = .number(-3)
        answers["é"] = .choices(["only"])
        #expect(Answers(packed: answers.packed) == answers)
        #expect(Answers(packed: .none).isEmpty)
    }
}

@Suite("Emoji for ratings (S13)")
struct RatingEmojiTests {
    static let table: [(String, String)] = [
        ("Poor", "😞"), ("Bad", "😞"), ("1", "😞"), ("Fair", "😐"), ("Okay", "😐"), ("2", "😐"), ("Good", "🙂"),
        ("3", "🙂"), ("Great", "😊"), ("Very Good", "😊"), ("4", "😊"), ("Excellent", "🤩"), ("Amazing", "🤩"),
        ("Outstanding", "🤩"), ("5", "🤩"), ("poor", "😞"), ("VERY GOOD!", "😊"), (" great ", "😊"),
        ("Other", "⭐"), ("", "⭐"), ("0", "⭐"), ("11", "⭐"), ("-1", "⭐"), ("Goodness", "⭐"), ("Badly", "⭐"),
        ("goodé", "⭐"), ("égood", "⭐"), ("good\u{301}", "⭐"), ("à good", "🙂"), ("good…", "🙂"), ("Très good — été", "🙂"),
        ("very… GOOD", "😊"), ("very-good", "😊"), ("very é good", "🙂"), ("very bad good", "😞"), ("verygood", "⭐"),
        ("very", "⭐"), ("good, excellent", "🤩"), ("ÄÖÜ outstanding 太好了", "🤩"), ("\u{2003}5\u{2003}", "🤩"),
        ("Not great", "⭐"), ("not bad", "⭐"), ("No good", "⭐"), ("It isn't good", "⭐"), ("wasn’T bad", "⭐"),
        ("Notes: good", "🙂"), ("t good", "🙂"), ("Nö, good", "🙂"), ("never bad", "⭐"), ("6", "🙂"), ("7", "😊"),
        ("8", "😊"), ("9", "🤩"), ("10", "🤩"),
    ]

    @Test("a label has the face of the table", arguments: table)
    func labels(label: String, emoji: String) {
        #expect(RatingEmoji.emoji(for: label) == emoji)
    }

    @Test(
        "an option that begins with a picture gets no second one",
        arguments: [
            ("😀 Great", false), (" 👍 Good", false), ("❤️ Excellent", false), ("☹ Poor", false), ("🇩🇪 Okay", false),
            ("Great 😀", true), ("Great", true), ("5 of 5 good", true), ("#1 good", true),
        ])
    func doubled(label: String, hasFace: Bool) throws {
        let question = Question(id: "q", kind: .single([.init(label), .init("Good")]))
        let options = try JSONDocument(question.info().json, .json).value["options"]
        #expect((options?[0]?["emoji"] != nil) == hasFace)
        #expect(options?[1]?["emoji"] == "🙂")
    }

    @Test(
        "options have faces where each of them is a rating, and else none",
        arguments: [
            (["Poor", "Okay", "Great"], ["😞", "😐", "😊"]), (["Bad", "So-so", "Good", "Great"], ["😞", "😐", "🙂", "😊"]),
            (["So so", "Good"], []), (["Not so-so", "Good"], []),
            (["Great", "Not great"], []), (["Good", "Other"], []), (["Red", "Blue"], []), (["1", "2"], ["😞", "😐"]),
        ])
    func all(labels: [String], faces: [String]) throws {
        let question = Question(id: "q", kind: .single(labels.map { .init($0) }))
        let options = try JSONDocument(question.info().json, .json).value["options"]?.arrayValue ?? []
        #expect(options.count == labels.count)
        #expect(options.compactMap { $0["emoji"]?.stringValue } == faces)
    }

    @Test("numbers to ten go evenly from the worst face to the best")
    func ten() {
        let labels = (1...10).map(String.init)
        let faces = labels.map { RatingEmoji.emoji(for: $0, among: labels) }
        #expect(faces == ["😞", "😞", "😐", "😐", "🙂", "🙂", "😊", "😊", "🤩", "🤩"])
    }

    @Test("thousands of numbers are looked at once each, not once for each of them")
    func thousands() {
        let choices = (0..<40_000).map { Question.Choice(String(repeating: "0", count: $0 % 60) + "\($0)") }
        #expect(Question(id: "q", kind: .single(choices)).info().json.count > 1 << 20)
    }

    @Test(
        "a scale of any size begins with the worst face and ends with the best", arguments: 2...10)
    func scales(scale: Int) {
        let faces = (1...scale).map { RatingEmoji.emoji(for: $0, of: scale) }
        #expect(faces.first == "😞")
        #expect(faces.last == "🤩")
        let places = faces.compactMap(RatingEmoji.faces.firstIndex)
        #expect(places == places.sorted())
    }

    @Test("an option is named byte for byte: a letter made of two characters is another one")
    func bytesOfOptions() throws {
        let question = Question(id: "q", kind: .single([Question.Choice("Caf\u{E9}", label: "Na\u{EF}ve")]))
        #expect(try question.accept("Caf\u{E9}", path: "$") == .choice("Caf\u{E9}"))
        for other in ["Cafe\u{301}", "Nai\u{308}ve"] {
            #expect(throws: WireError.self) { try question.accept(.string(other), path: "$") }
        }
    }
}
