import HarkPattern

@testable import HarkAsking
@testable import HarkClient
@testable import HarkCore
@testable import HarkStore
@testable import HarkWire

/// Tries what docs/adding.md adds: a question of the kind `colour`, and a watch with a `note`.
@main struct Added {
    static func main() throws {
        try question()
        for path in CommandLine.arguments.dropFirst() { try watch(path) }
    }

    private static func expect(_ isTrue: Bool, _ what: String) {
        if !isTrue { fatalError("not so: \(what)") }
    }

    private static func question() throws {
        let text = #"[{"id":"paint","type":"colour","question":"Which colour?"}]"#
        let (questionnaire, issues) = HarkCore.Questionnaire.read(try JSONDocument(Array(text.utf8), .json).value)
        guard issues.errors.isEmpty, issues.warnings.isEmpty, let questionnaire,
            let asked = questionnaire.questions.first
        else { fatalError("a document with it is not read: \(issues)") }
        expect(try asked.accept(" #FF8000 ", path: "$") == .choice("#ff8000"), "a colour is an answer")
        expect((try? asked.accept("orange", path: "$")) == nil, "a word is none")

        let content = SurveyContent(title: "T", message: "M", responseType: .questions, questionnaire: questionnaire)
        let again = SurveyContent(shown: content.info.json)?.questionnaire.questions.first
        expect(again?.kind == asked.kind && asked.kind.type.rawValue == "colour", "it is read back as it was shown")

        guard case .text(let rules)? = SurveyQuestion(JSONText(asked.info().json[...]))?.kind else {
            fatalError("it is not shown")
        }
        expect(rules.isOneLine && rules.pattern?.matches("#FF8000") == true, "it is shown as a line of that form")
        expect(
            DocumentMember.all.contains { $0.place == .question && $0.name == "type" && $0.values == .word("colour") },
            "hubs know it")
    }

    private static func watch(_ path: String) throws {
        var terms = WatchTerms()
        terms.every = 60_000
        terms.note = "nightly"
        expect(String(decoding: terms.json, as: UTF8.self).contains(#""note":"nightly""#), "it is told")
        expect(
            WatchAdd.members.contains { $0.name == "note" && $0.isOptional }, "it may be asked for, and is described")

        let key = WatchKey(uid: 1000, id: ExactName("backup"))
        let watch = Watch(
            key: key, event: "backup", terms: terms, addedAt: .earliest, state: WatchState(since: .earliest))
        for note in ["nightly", "weekly", nil] {
            var (changes, terms) = (Changes(), watch.terms)
            terms.note = note
            changes.rows.append(
                .other(
                    WatchRow.put(Watch(key: key, event: "backup", terms: terms, addedAt: .earliest, state: watch.state))
                ))
            let writer = try StoreWriter(path: path)
            _ = try writer.commit(Batch(changes: changes, watermark: try writer.watermark())).get()
            expect(try StoreReader(path: path).watches().map(\.terms.note) == [note], "\(path) has it after a restart")
        }
    }
}
