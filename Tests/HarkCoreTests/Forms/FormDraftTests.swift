import HarkCore
import HarkWire
import Testing

@Suite("What is begun of a form (Q3, O4)")
struct FormDraftTests {
    private static let form = "onboarding"

    private func stage() throws -> Stage { Stage(try FormSamples.onboarding()) }

    @Test("Q3: what is begun, and where somebody is, is kept over a restart, counts nowhere and is recorded nowhere")
    func kept() throws {
        var stage = try stage()
        try stage.draft(
            Self.form, page: "primaryGoal", ["emotionalState": "Do", "preferredActivities": ["Journaling"]])
        stage.startAnew()
        let draft = FormDraft(
            page: "primaryGoal", answers: ["emotionalState": "Do", "preferredActivities": ["Journaling"]])
        #expect(stage.formState(Self.form)?.draft == draft)
        #expect(stage.formState(Self.form, of: "bob") == nil)
        #expect(stage.progress(Self.form)?.answered == 0)
        #expect(stage.records(.form).isEmpty && stage.records(.profile).isEmpty)
        #expect(try stage.profile().answers.members.isEmpty)
    }

    @Test("an answer ends the draft of its question, also the same answer again; null forgets one")
    func ended() throws {
        var stage = try stage()
        try stage.draft(Self.form, ["emotionalState": "x", "primaryGoal": "y", "timeCommitment": "z"])
        try stage.fill(Self.form, ["emotionalState": "Doing okay"])
        #expect(
            stage.formState(Self.form)?.draft.answers.keys.map(\.text).sorted() == ["primaryGoal", "timeCommitment"])
        try stage.draft(Self.form, ["primaryGoal": .null, "emotionalState": "Ongoing challenges"])
        try stage.fill(Self.form, ["emotionalState": "Doing okay"])
        stage.startAnew()
        #expect(stage.formState(Self.form)?.draft == FormDraft(answers: ["timeCommitment": "z"]))
        #expect(stage.records(.form).count == 1)
    }

    @Test("what is the answer already is no draft")
    func same() throws {
        var stage = try stage()
        try stage.fill(Self.form, ["preferredActivities": ["Journaling"], "primaryGoal": "Improve sleep"])
        try stage.draft(Self.form, ["preferredActivities": ["Journaling"], "primaryGoal": "Improve sleep"])
        #expect(stage.formState(Self.form)?.draft.isEmpty == true)
    }

    @Test("a reset and a clear of the user take it along")
    func forgotten() throws {
        var stage = try stage()
        try stage.draft(Self.form, page: "primaryGoal", ["primaryGoal": "y"])
        try stage.forget(Self.form)
        #expect(stage.formState(Self.form) == nil)
        try stage.draft(Self.form, page: "primaryGoal", ["primaryGoal": "y"])
        stage.clear(.user("ada"))
        #expect(stage.formState(Self.form) == nil)
    }

    static let misfits: [(String?, String, JSONValue)] = [
        ("nothing", "primaryGoal", "a"), (nil, "nothing", "a"), (nil, "primaryGoal", true), (nil, "primaryGoal", 1.5),
        (nil, "primaryGoal", ["a", 1]), (nil, "primaryGoal", ["a": 1]),
    ]

    @Test("a draft of no question, or of what no answer can become, is refused whole", arguments: misfits)
    func refused(page: String?, question: String, value: JSONValue) throws {
        var stage = try stage()
        let error = #expect(throws: WireError.self) {
            try stage.draft(Self.form, page: page, JSONObject([("emotionalState", "x"), (question, value)]))
        }
        #expect(error?.reason == .invalidParams)
        #expect(stage.formState(Self.form) == nil)
    }

    @Test("there is a bound, and what was kept before stays")
    func bound() throws {
        var stage = try stage()
        try stage.draft(Self.form, ["emotionalState": "x"])
        let error = #expect(throws: WireError.self) {
            try stage.draft(Self.form, ["emotionalState": .string(String(repeating: "x", count: 70_000))])
        }
        #expect(error?.reason == .tooLarge)
        #expect(stage.formState(Self.form)?.draft == FormDraft(answers: ["emotionalState": "x"]))
    }

    @Test("options may have pictures, which goals, experience and activities of the sample have")
    func icons() throws {
        let form = try #require(try FormSamples.onboarding().form(Self.form))
        var json = JSONWriter()
        for question in form.questionnaire.questions { question.info(ratesOptions: false).write(to: &json) }
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(text.contains(#"{"value":"Improve sleep","label":"Improve sleep","emoji":"🌙"}"#))
        #expect(text.contains(#"{"value":"Flexible","label":"Flexible"}"#))
        #expect(form.startLabel == "Start" && form.completionLabel == "Begin Journey")
    }
}

extension Stage {
    mutating func draft(
        _ form: String, page: String? = nil, _ answers: JSONObject = JSONObject(), by userId: String? = "ada"
    ) throws {
        _ = formState(form, of: userId)
        try engine.draftForm(
            form, page: page, answers.map { ($0.key, $0.value) }, by: participant(userId), now: now, into: &changes)
        commit()
    }
}
