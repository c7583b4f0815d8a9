import HarkCore
import HarkWire
import Testing

@Suite("Profiles (O2, O3, O4)")
struct ProfileTests {
    private static let example: JSONObject = [
        "emotionalState": "Going through something difficult recently", "primaryGoal": "Reduce stress and anxiety",
        "timeCommitment": "10-20 minutes", "experienceLevel": "New to mindfulness & meditation",
        "preferredActivities": ["Guided meditation", "Breathing exercises", "Relaxing sounds & music"],
    ]

    private static func stage() throws -> Stage { Stage(try FormSamples.onboarding()) }

    /// The value of a key when one question has this answer.
    private static func value(_ key: String, _ question: String, _ answer: JSONValue) throws -> JSONValue? {
        var stage = try stage()
        try stage.fill("onboarding", JSONObject([(question, answer)]))
        return try stage.profile()[key]
    }

    @Test(
        "O2: how somebody feels decides the categories",
        arguments: [
            ("Going through something difficult recently", ["stress", "anxiety", "sleep", "mindfulness"]),
            ("Ongoing challenges", ["mindfulness", "anxiety", "stress", "meditation"]),
            ("Doing okay", ["mindfulness", "sleep", "productivity", "meditation"]),
        ])
    func categories(answer: String, expected: [String]) throws {
        let value = try Self.value("categories", "emotionalState", .string(answer))
        #expect(value == .array(expected.map(JSONValue.string)))
    }

    @Test("O2: the goal decides the categories together with how somebody feels, each once, the goal's first")
    func categoriesOfBoth() throws {
        var stage = try Self.stage()
        try stage.fill(
            "onboarding", ["primaryGoal": "Reduce stress and anxiety", "emotionalState": "Ongoing challenges"])
        #expect(try stage.profile()["categories"] == ["mindfulness", "stress", "anxiety", "meditation"])
        try stage.fill("onboarding", ["primaryGoal": "Improve sleep"])
        #expect(
            try stage.profile()["categories"] == ["sleep", "meditation", "mindfulness", "anxiety", "stress"])
    }

    @Test(
        "O2: the goal decides the content types",
        arguments: [
            ("Reduce stress and anxiety", ["breathing exercises", "stress management", "relaxation"]),
            ("Improve sleep", ["sleep meditation", "bedtime routine", "sleep hygiene"]),
            ("Build mindfulness", ["meditation basics", "mindful living", "daily practices"]),
            ("Just exploring", ["introduction to wellness", "beginner's guide", "mixed content"]),
        ])
    func contentTypes(answer: String, expected: [String]) throws {
        let value = try Self.value("contentTypes", "primaryGoal", .string(answer))
        #expect(value == .array(expected.map(JSONValue.string)))
    }

    @Test("O2: preferred activities come first among the content types, each once")
    func activities() throws {
        let value = try Self.value(
            "contentTypes", "preferredActivities",
            ["Relaxing sounds & music", "Breathing exercises", "Guided meditation"])
        #expect(value == ["meditation", "breathing", "audio"])
    }

    @Test(
        "O2: the time decides the length of a session",
        arguments: [("5-10 minutes", 7), ("10-20 minutes", 15), ("20-30 minutes", 25), ("Flexible", 15)])
    func minutes(answer: String, expected: Int64) throws {
        #expect(try Self.value("sessionMinutes", "timeCommitment", .string(answer)) == .int(expected))
    }

    @Test(
        "O2: the experience decides the difficulty",
        arguments: [
            ("New to mindfulness & meditation", "beginner"), ("Some practice", "beginner-intermediate"),
            ("Regular", "intermediate"), ("Experienced", "advanced"),
        ])
    func difficulty(answer: String, expected: String) throws {
        #expect(try Self.value("difficulty", "experienceLevel", .string(answer)) == .string(expected))
    }

    @Test("O2: the welcome differs by how somebody feels, and there is one for who has not said")
    func welcome() throws {
        var stage = try Self.stage()
        var seen: Set<JSONValue?> = [try stage.profile()["welcomeMessage"]]
        for answer in ["Going through something difficult recently", "Ongoing challenges", "Doing okay"] {
            try stage.fill("onboarding", ["emotionalState": .string(answer)])
            seen.insert(try stage.profile()["welcomeMessage"])
        }
        #expect(seen.count == 4)
        #expect(seen.allSatisfy { $0?.stringValue?.isEmpty == false })
    }

    @Test("O3: the printed summary, once the form is completed")
    func summary() throws {
        var stage = try Self.stage()
        #expect(try stage.profile().summary == nil)
        #expect(try stage.profile()["completed"] == false)
        try stage.fill("onboarding", Self.example)
        #expect(try stage.profile()["completed"] == true)
        #expect(try stage.profile()["completedAt"] == .string("\(stage.now)"))
        #expect(try stage.profile()["answers"] == .object(Self.example))
        let summary = try stage.profile().summary
        #expect(
            summary == """
                📊 Your Personalized Profile:

                🎯 Goal: Reduce stress and anxiety
                ⏱️ Session Duration: 15 minutes
                📈 Difficulty: beginner

                🎨 Interests:
                   • Guided meditation
                   • Breathing exercises
                   • Relaxing sounds & music

                📚 Recommended Categories:
                   • Mindfulness
                   • Stress
                   • Anxiety
                   • Sleep

                """)
    }

    @Test("O3: a reset forgets everything")
    func reset() throws {
        var stage = try Self.stage()
        try stage.fill("onboarding", Self.example)
        let participant = stage.participant("ada")
        #expect(try stage.engine.resetProfile(by: participant, now: stage.now, into: &stage.changes) == 5)
        stage.commit()
        #expect(try stage.profile()["completed"] == false)
        #expect(try stage.profile()["answers"] == [:])
        #expect(stage.disk.forms[participant.user]?["onboarding"] == nil)
    }

    @Test("O4: exported, reset, imported: the same export, byte for byte, at whatever time and for whomever")
    func roundTrip() throws {
        var stage = try Self.stage()
        try stage.fill("onboarding", ["emotionalState": "Doing okay"])
        stage.now = stage.now.adding(milliseconds: 4_321)
        try stage.fill("onboarding", Self.example)
        stage.now = stage.now.adding(milliseconds: 1_234)
        try stage.fill("onboarding", ["preferredActivities": ["Journaling"]])
        let first = try stage.exported()
        try stage.forget("onboarding")
        #expect(throws: WireError.self) { try stage.exported() }
        stage.now = stage.now.adding(milliseconds: Stage.day)
        try stage.take(first)
        #expect(try stage.exported() == first)
        stage.startAnew()
        #expect(try stage.exported() == first)
        try stage.take(first, by: "bob")
        #expect(try stage.exported(of: "bob") == first)
    }

    @Test("O4: half a profile makes the round, too")
    func half() throws {
        var stage = try Self.stage()
        try stage.fill("onboarding", ["timeCommitment": "Flexible"])
        let first = try stage.exported()
        try stage.forget("onboarding")
        try stage.take(first)
        #expect(try stage.exported() == first)
        #expect(try stage.profile()["completed"] == false)
        // It takes the place of all that was there.
        try stage.fill("onboarding", Self.example)
        try stage.take(first)
        #expect(try stage.exported() == first)
    }

    @Test(
        "what is no profile of this form is refused with its path, and nothing changes",
        arguments: [
            (#"{}"#, "profile.version"), (#"{"version":2}"#, "profile.version"),
            (#"{"version":1,"formId":"other"}"#, "profile.formId"),
            (#"{"version":1,"formId":"onboarding","answers":{}}"#, "profile"),
            (#"{"version":1,"formId":"onboarding","startedAt":"today","answers":{}}"#, "profile.startedAt"),
            (#"{"version":1,"formId":"onboarding","startedAt":"2026-11-21T11:00:00Z"}"#, "profile.answers"),
            (
                #"{"version":1,"formId":"onboarding","startedAt":"2026-11-21T11:00:00Z","answers":{"x":1}}"#,
                "profile.answers.x"
            ),
            (
                #"""
                {"version":1,"formId":"onboarding","startedAt":"2026-11-21T11:00:00Z",
                 "answers":{"primaryGoal":"Get rich"}}
                """#, "profile.answers.primaryGoal"
            ),
        ])
    func badImport(document: String, path: String) throws {
        var stage = try Self.stage()
        try stage.fill("onboarding", ["timeCommitment": "Flexible"])
        let before = stage.formState("onboarding")
        let error = #expect(throws: WireError.self) { try stage.take(document) }
        #expect(error?.path == path)
        #expect(stage.formState("onboarding") == before)
    }

    @Test("rules of every kind")
    func rules() throws {
        var stage = Stage(try FormSamples.read("rules.json"))
        try stage.fill("kinds", ["one": "A", "many": ["C", "E"], "stars": 2, "5": 8])
        var profile = try stage.profile()
        #expect(profile["constant"] == "always")
        #expect(profile["list"] == [1, 2.5, true, "four"])
        #expect(profile["answer"] == .null)
        #expect(profile["scored"] == "fine")
        #expect(profile["fan"] == false)
        #expect(profile["joined"] == "A, no reason")
        #expect(profile["all"] == ["c", "x", "e", "last"])
        #expect(profile["unheard"] == nil)
        #expect(profile.summary == "- C\n- X\n- E\n- Last\n{fine}\n", "a line without its value is left out")
        try stage.fill("kinds", ["why": "so", "5": 9])
        profile = try stage.profile()
        #expect(profile["answer"] == "so")
        #expect(profile["fan"] == true)
        #expect(profile["joined"] == "B or C")
        #expect(profile.summary?.hasPrefix("Always: so\n- C\n") == true)
        try stage.fill("kinds", ["one": "B"])
        #expect(try stage.profile()["all"] == ["c", "x", "e", "b", "last"])
    }

    @Test("without rules there is no profile")
    func none() throws {
        var stage = Stage(FormSamples.remote([Question(id: "1", kind: .text(.init()))]))
        let error = #expect(throws: WireError.self) { try stage.profile() }
        #expect(error?.reason == .notConfigured)
    }
}
