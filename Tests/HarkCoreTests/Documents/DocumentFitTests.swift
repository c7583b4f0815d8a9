import Foundation
import HarkCore
import HarkWire
import Testing

/// The parts of surveys and forms that a version of Hark gets.
@Suite struct DocumentFitTests {
    private static let v2 = DocumentVersion(0, 2, 0)
    private static let v3 = DocumentVersion(0, 3, 0)
    private static let v10 = DocumentVersion(0, 10, 0)

    /// A table of three versions.
    private static let rows = DocumentFit.Rows([
        DocumentMember(.survey, "quota", since: v2, .meaning),
        DocumentMember(.survey, "thanks", since: v2, .look),
        DocumentMember(.question, "type", .word("ranking"), since: v2, .meaning),
        DocumentMember(.question, "type", .word("map"), since: v10, .meaning),
        DocumentMember(.question, "hue", since: v3, .look),
        DocumentMember(.question, "size", since: v3, .companion),
        DocumentMember(.texts, "thanks", since: v3, .look),
        DocumentMember(.surveys, "atMost", since: v10, .meaning),
    ])

    private static func json(_ text: String) throws -> JSONValue { try JSONDocument(Array(text.utf8), .json5).value }

    private static func fit(_ text: String, to version: DocumentVersion, _ kind: FleetDocumentKind = .surveys) throws
        -> DocumentFit
    {
        DocumentFit(try json(text), kind, to: version, by: rows)
    }

    private static func ids(_ fit: DocumentFit) -> [String] {
        fit.document["surveys"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    }

    private static let three = """
        {"events": ["go"], "surveys": [
        {"id": "plain", "questions": [{"id": "q", "type": "text"}]},
        {"id": "few", "quota": {"answers": 3}, "questions": [{"id": "q", "type": "map"}]},
        {"id": "nice", "thanks": {"title": "T"}, "questions": [{"id": "q", "hue": 3, "size": 1}],
         "translations": {"de": {"thanks": {"title": "D"}}, "a b": {"thanks": {"title": "X"}}}}]}
        """

    @Test(
        "a survey that a version cannot read is held back whole, what only changes its look is left out, the rest is as it was"
    )
    func three() throws {
        let first = try Self.fit(Self.three, to: .first)
        #expect(Self.ids(first) == ["plain", "nice"])
        #expect(first.document["events"] == ["go"])
        #expect(
            first.document["surveys"]?[1]
                == (try Self.json(#"{"id":"nice","questions":[{"id":"q"}],"translations":{"de":{},"a b":{}}}"#)))
        #expect(
            first.held
                == HeldBack(
                    count: 1,
                    parts: [
                        // With that version all of it can be read.
                        .init(id: "few", member: "questions[0].type: map", version: Self.v10, isWhole: true),
                        .init(id: "nice", member: "thanks", version: Self.v2, isWhole: false),
                        .init(id: "nice", member: "questions[0].hue", version: Self.v3, isWhole: false),
                        .init(id: "nice", member: "translations.de.thanks", version: Self.v3, isWhole: false),
                        .init(id: "nice", member: #"translations["a b"].thanks"#, version: Self.v3, isWhole: false),
                    ]))
        let second = try Self.fit(Self.three, to: Self.v2)
        #expect(Self.ids(second) == ["plain", "nice"])
        #expect(
            second.document["surveys"]?[1]?["thanks"] != nil
                && second.document["surveys"]?[1]?["questions"]?[0]?["hue"] == nil)
        let last = try Self.fit(Self.three, to: Self.v10)
        let whole = try Self.json(Self.three)
        #expect(last.isWhole && last.held.isEmpty && last.document == whole)
        #expect(!first.isWhole && !second.isWhole)
    }

    @Test(
        "what a file says of all its surveys holds all of them back; null is as good as nothing, and the order of versions is that of numbers"
    )
    func file() throws {
        let text = #"{"atMost":{"count":1},"surveys":[{"id":"a"},{"id":"b"}]}"#
        let fit = try Self.fit(text, to: Self.v3)
        #expect(fit.document == (try Self.json(#"{"surveys":[]}"#)))
        #expect(
            fit.held == HeldBack(count: 2, parts: [.init(id: nil, member: "atMost", version: Self.v10, isWhole: true)]))
        #expect(try Self.ids(Self.fit(#"{"atMost":null,"surveys":[{"id":"a","quota":null}]}"#, to: .first)) == ["a"])
        #expect(try Self.fit(#"{"atMost":null,"surveys":[]}"#, to: .first).held.isEmpty)
        #expect(Self.v2 < Self.v10 && DocumentVersion("0.10.0") == Self.v10)
        for text in ["", "1", "1.2", "1.2.3.4", "1.2.x", "1..2", "00000.1.2", "-1.0.0", "1.2.3 "] {
            #expect(DocumentVersion(text) == nil, "\(text)")
        }
    }

    @Test(
        "documents that are no surveys or forms stay as they are",
        arguments: ["null", "[]", "{}", #"{"surveys":3}"#, #"{"surveys":[3,{}]}"#])
    func odd(_ text: String) throws {
        for kind in FleetDocumentKind.allCases {
            let fit = try Self.fit(text, to: .first, kind)
            let whole = try Self.json(text)
            #expect(fit.isWhole && fit.document == whole)
        }
        #expect(try Self.fit(#"{"atMost": 3, "quota": 1}"#, to: .first, .flags).isWhole)
    }

    /// A document whose only survey or form has a member that came later.
    private static func document(with member: DocumentMember) throws -> (JSONValue, FleetDocumentKind) {
        let value =
            switch member.values {
            case .all: "{}"
            case .word(let word): "\"\(word)\""
            case .objects: "[{}]"
            }
        let text = "{\"\(member.name)\":\(value)}"
        func survey(_ inner: String) -> String { "{\"surveys\":[{\"id\":\"a\",\(inner.dropFirst())]}" }
        let whole =
            switch member.place {
            case .surveys: "{\"surveys\":[{\"id\":\"a\"}],\(text.dropFirst())"
            case .survey: survey(text)
            case .trigger: survey("{\"trigger\":\(text)}")
            case .response: survey("{\"response\":\(text)}")
            case .textField: survey("{\"response\":{\"textField\":\(text)}}")
            case .question: survey("{\"questions\":[{},\(text)]}")
            case .option: survey("{\"questions\":[{\"options\":[\"x\",\(text)]}]}")
            case .texts: survey("{\"translations\":{\"de\":\(text)}}")
            case .textFieldTexts: survey("{\"translations\":{\"de\":{\"textField\":\(text)}}}")
            case .questionTexts: survey("{\"translations\":{\"de\":{\"questions\":{\"q\":\(text)}}}}")
            case .forms: "{\"forms\":[{\"id\":\"a\"}],\(text.dropFirst())"
            case .form: "{\"forms\":[{\"id\":\"a\",\(text.dropFirst())]}"
            }
        let isForm = member.place == .forms || member.place == .form
        return (try json(whole), isForm ? .forms : .surveys)
    }

    @Test(
        "each member of the table is found where it is, and holds back what it is said to",
        arguments: DocumentMember.all)
    func row(_ member: DocumentMember) throws {
        let (document, kind) = try Self.document(with: member)
        let fit = DocumentFit(document, kind, to: .first)
        #expect(!fit.isWhole && fit.document != document)
        switch member.weight {
        case .meaning:
            #expect(fit.held.count == 1 && fit.held.parts.map(\.isWhole) == [true])
            #expect(fit.held.parts.first?.version == member.since)
            #expect(fit.document[kind.rawValue] == [])
        case .look: #expect(fit.held.count == 0 && fit.held.parts.map(\.isWhole) == [false])
        case .companion: #expect(fit.held.isEmpty && fit.document[kind.rawValue]?.arrayValue?.count == 1)
        }
        #expect(DocumentFit(fit.document, kind, to: .first).isWhole)
        #expect(DocumentFit(document, kind, to: member.since).isWhole)
    }

    @Test(
        "each survey and form of the fixtures is read by this Hark, and what version 0.1.0 gets of it has no new member"
    )
    func fixtures() throws {
        var count = 0
        for (folder, kind) in [("surveys", FleetDocumentKind.surveys), ("forms", .forms)] {
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(Self.root)/Tests/Fixtures/\(folder)")
            where name.hasSuffix(".json") {
                let bytes = try #require(
                    FileManager.default.contents(atPath: "\(Self.root)/Tests/Fixtures/\(folder)/\(name)"))
                let document = try JSONDocument(Array(bytes), .json5).value
                #expect(DocumentFit(document, kind, to: DocumentMember.newest).isWhole, "\(name)")
                let fit = DocumentFit(document, kind, to: .first)
                #expect(DocumentFit(fit.document, kind, to: .first).isWhole, "\(name)")
                count += fit.held.count
            }
        }
        #expect(count > 3)
    }

    // MARK: What is said of it

    private static let root = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }
        .joined(separator: "/").replacing("//", with: "/")

    private static func words(_ place: DocumentMember.Place) -> String {
        switch place {
        case .surveys: "a file of surveys"
        case .survey: "`surveys[]`"
        case .trigger: "`surveys[].trigger`"
        case .response: "`surveys[].response`"
        case .textField: "`surveys[].response.textField`"
        case .question: "`questions[]`"
        case .option: "`questions[].options[]`"
        case .texts: "`translations.*`"
        case .textFieldTexts: "`translations.*.textField`"
        case .questionTexts: "`translations.*.questions.*`"
        case .forms: "a file of forms"
        case .form: "`forms[]`"
        }
    }

    private static func words(_ member: DocumentMember) -> String {
        switch member.values {
        case .all: "`\(member.name)`"
        case .word(let word): "`\(member.name): \(word)`"
        case .objects: "`\(member.name)` with objects"
        }
    }

    private static func words(_ weight: DocumentMember.Weight) -> String {
        switch weight {
        case .meaning: "nothing of it"
        case .look: "the rest"
        case .companion: "the rest, as it does nothing alone"
        }
    }

    /// The table, a line for each place, version and weight.
    private static var table: [String] {
        DocumentMember.Place.allCases.flatMap { place in
            DocumentMember.Weight.allCases.flatMap { weight in
                let members = DocumentMember.all.filter { $0.place == place && $0.weight == weight }
                return Set(members.map(\.since)).sorted().map { since in
                    let names = members.filter { $0.since == since }.map(words).sorted().joined(separator: ", ")
                    return "| \(words(place)) | \(names) | \(since) | \(words(weight)) |"
                }
            }
        }
    }

    @Test("docs/reference/versions.md has the table")
    func page() throws {
        let text = try String(contentsOfFile: "\(Self.root)/docs/reference/versions.md", encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| where | members ") })
        let told = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        #expect(Array(told) == Self.table, "\n\(Self.table.joined(separator: "\n"))\n")
    }

    @Test("what this Hark reads is not from a later version, but while that is not released")
    func newest() throws {
        let current = try #require(DocumentVersion(Version.current))
        let changes = try String(contentsOfFile: "\(Self.root)/CHANGELOG.md", encoding: .utf8)
        #expect(DocumentMember.newest <= current || changes.contains("\n## Unreleased\n"))
    }
}
