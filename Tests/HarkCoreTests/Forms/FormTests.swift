import HarkCore
import HarkWire
import Testing

@Suite("Filling in forms (Q2, Q3, O1, O4, O5)")
struct FormTests {
    static func kinds() throws -> Stage { Stage(try FormSamples.read("rules.json")) }
    static func onboarding() throws -> Stage { Stage(try FormSamples.onboarding()) }

    @Test("Q2: the progress counts the questions that were answered")
    func progress() throws {
        var stage = try Self.onboarding()
        #expect(stage.progress("onboarding")?.text == "0 of 5 Questions Answered")
        #expect(stage.progress("onboarding")?.next == "emotionalState")
        try stage.fill("onboarding", ["emotionalState": "Doing okay", "timeCommitment": "Flexible"])
        #expect(stage.progress("onboarding")?.text == "2 of 5 Questions Answered")
        #expect(stage.progress("onboarding")?.next == "primaryGoal")
        #expect(stage.progress("onboarding")?.isCompleted == false)
    }

    @Test("O1: several choices need at least one, and are kept in the order of the question")
    func several() throws {
        var stage = try Self.onboarding()
        let refused = #expect(throws: WireError.self) {
            try stage.fill("onboarding", ["preferredActivities": []])
        }
        #expect(refused?.message.contains("at least 1") == true)
        let state = try stage.fill("onboarding", ["preferredActivities": ["Journaling", "Guided meditation"]])
        #expect(state.answers["preferredActivities"]?.answer == .choices(["Guided meditation", "Journaling"]))
    }

    static let misfits: [(String, JSONValue)] = [
        ("one", .null), ("one", ""), ("one", "Z"), ("many", []), ("many", ["C", "D", "E"]), ("none", "A"), ("stars", 4),
        ("one", ["A"]),
    ]

    @Test(
        "Q2: an empty answer, one that is no option and one to no question are refused, and nothing is stored",
        arguments: misfits)
    func refused(question: String, answer: JSONValue) throws {
        var stage = try Self.kinds()
        let error = #expect(throws: WireError.self) {
            try stage.fill("kinds", JSONObject([("5", 1), (question, answer)]))
        }
        #expect(error?.reason == .invalidParams)
        #expect(error?.path?.hasPrefix("answers.") == true)
        #expect(stage.formState("kinds") == nil)
        #expect(stage.records(.form).isEmpty)
    }

    @Test("Q2: a remote form takes no empty answer either")
    func emptyText() throws {
        var stage = Stage(FormSamples.remote([Question(id: "1", kind: .text(.init()), isRequired: false)]))
        for empty: JSONValue in [.null, "", " \n\t "] {
            let error = #expect(throws: WireError.self) { try stage.fill("remote", ["1": empty]) }
            #expect(error?.message.contains("must not be empty") == true)
        }
    }

    @Test("Q3: answers are kept over a restart, text as it was trimmed, numbers as numbers")
    func restart() throws {
        var stage = try Self.kinds()
        try stage.fill("kinds", ["one": "A", "why": "  weil é 👍 \n", "many": ["D", "C"], "stars": 3, "5": 10])
        let before = stage.formState("kinds")
        stage.startAnew()
        #expect(stage.formState("kinds") == before)
        #expect(before?.answers["why"]?.answer == .text("weil é 👍"))
        #expect(stage.progress("kinds")?.isCompleted == true)
    }

    @Test("O4: an answer can be changed later, and an optional one taken back; completed stays completed")
    func edit() throws {
        var stage = try Self.kinds()
        try stage.fill("kinds", ["one": "A", "why": "so", "many": ["C"], "stars": 3, "5": 1])
        let completedAt = stage.formState("kinds")?.completedAt
        #expect(completedAt == stage.now)
        stage.now = stage.now.adding(milliseconds: Stage.hour)
        let state = try stage.fill("kinds", ["stars": 1, "why": .null])
        #expect(state.answers["stars"]?.answer == .number(1))
        #expect(state.answers["why"] == nil)
        #expect(state.completedAt == completedAt)
        #expect(stage.progress("kinds")?.text == "4 of 5 Questions Answered")
        #expect(stage.progress("kinds")?.isCompleted == true)
    }

    @Test("a branch that passes a question over counts without it")
    func branch() throws {
        var stage = try Self.kinds()
        try stage.fill("kinds", ["one": "B", "many": ["E"], "stars": 2, "5": 0])
        #expect(stage.progress("kinds")?.text == "4 of 4 Questions Answered")
        #expect(stage.progress("kinds")?.isCompleted == true)
        try stage.fill("kinds", ["one": "A"])
        #expect(stage.progress("kinds")?.text == "4 of 5 Questions Answered")
        #expect(stage.progress("kinds")?.next == "why")
        #expect(stage.progress("kinds")?.isCompleted == true, "what is left is not required")
    }

    @Test("each user has answers of their own, and everybody anonymous one together")
    func users() throws {
        var stage = try Self.onboarding()
        try stage.fill("onboarding", ["emotionalState": "Doing okay"], by: "ada")
        try stage.fill("onboarding", ["emotionalState": "Ongoing challenges"], by: nil)
        #expect(stage.formState("onboarding", of: "bob") == nil)
        #expect(stage.formState("onboarding", of: "ada")?.answers["emotionalState"]?.answer == .choice("Doing okay"))
        #expect(
            stage.formState("onboarding", of: nil)?.answers["emotionalState"]?.answer == .choice("Ongoing challenges"))
    }

    @Test("users whose ids are equal letters of other bytes are not taken for one")
    func spelling() throws {
        var stage = try Self.onboarding()
        try stage.fill("onboarding", ["emotionalState": "Doing okay"], by: "ren\u{e9}")
        #expect(stage.formState("onboarding", of: "rene\u{301}") == nil)
    }

    @Test("forms and questions whose ids are equal letters of other bytes are not taken for one, nor are their answers")
    func spellingOfIds() throws {
        let (one, two) = ("caf\u{e9}", "cafe\u{301}")
        let forms = [one, two].map { form in
            """
            {"id":"\(form)","title":"\(form)","questions":[
              {"id":"\(one)","question":"a","type":"multiple","options":["\(one)","\(two)"],"next":"\(two)"},
              {"id":"x","question":"x"},{"id":"\(two)","question":"b"}]}
            """
        }
        let document = #"{"forms":[\#(forms.joined(separator: ","))]}"#
        let (configuration, issues) = FormConfiguration.read(try Samples.json(document))
        #expect(issues.errors.isEmpty, "\(issues.errors)")
        var stage = Stage(try #require(configuration))
        try stage.fill(one, [one: [.string(two), .string(one)], two: .string(one)])
        try stage.fill(two, [two: .string(two)])
        // A correction is no repetition.
        try stage.fill(one, [two: .string(two)])
        stage.startAnew()
        let state = stage.formState(one)
        #expect(state?.answers.count == 2)
        #expect(state?.answers[one]?.answer == .choices([one, two]))
        #expect(state?.answers[two]?.answer == .text(two))
        #expect(stage.formState(two)?.answers.keys.map(\.text) == [two])
        // The branch leads over the question between them.
        #expect(stage.progress(one)?.text == "2 of 2 Questions Answered")
    }

    @Test("clearing a user takes the answers away, clearing a session does not")
    func clear() throws {
        var stage = try Self.onboarding()
        let session = try stage.startSession("ada")
        try stage.fill("onboarding", ["emotionalState": "Doing okay"])
        stage.clear(.session(session.identity.id))
        #expect(stage.progress("onboarding")?.answered == 1)
        stage.clear(.user("bob"))
        #expect(stage.progress("onboarding")?.answered == 1)
        stage.clear(.user("ada"))
        #expect(stage.formState("onboarding") == nil)
        #expect(stage.disk.forms[UserKey(uid: Stage.uid, userId: "ada")] == nil)
    }

    @Test("what is answered while a clear is on its way to the disk is not part of it")
    func clearUnsettled() throws {
        var stage = try Self.onboarding()
        try stage.fill("onboarding", ["emotionalState": "Doing okay"])
        stage.startAnew()
        stage.commitsEachStep = false
        stage.clear(.user("ada"))
        #expect(stage.formState("onboarding") == nil)
        try stage.fill("onboarding", ["primaryGoal": "Improve sleep"])
        stage.commit()
        #expect(stage.formState("onboarding")?.answers.keys.map(\.text) == ["primaryGoal"])
        #expect(
            stage.disk.forms[UserKey(uid: Stage.uid, userId: "ada")]?["onboarding"]?.answers.keys.map(\.text)
                == ["primaryGoal"])
    }

    @Test("a form that is gone keeps its answers until it is back; it cannot be filled in meanwhile")
    func gone() throws {
        var stage = try Self.onboarding()
        try stage.fill("onboarding", ["emotionalState": "Doing okay"])
        let configuration = stage.engine.forms.configuration
        stage.engine.configure(.none)
        let error = #expect(throws: WireError.self) { try stage.fill("onboarding", ["primaryGoal": "Improve sleep"]) }
        #expect(error?.reason == .notFound)
        stage.engine.configure(configuration)
        #expect(stage.progress("onboarding")?.answered == 1)
        #expect(try stage.forget("onboarding") == 1)
        #expect(stage.formState("onboarding") == nil)
    }

    @Test("the records of answers lie in the user's session, and in none that is listed for somebody else")
    func records() throws {
        var stage = try Self.kinds()
        let session = try stage.startSession("ada")
        try stage.fill("kinds", ["one": "A", "many": ["C", "D"]])
        #expect(
            stage.records(.form) == [
                #"kinds {"action":"answered","question":"one","answer":"A"}"#,
                #"kinds {"action":"answered","question":"many","answer":"C||D"}"#,
            ])
        #expect(stage.disk.records.last { $0.kind == .form }?.session.id == session.identity.id)
        try stage.fill("kinds", ["stars": 2], by: "bob")
        let other = try #require(stage.disk.records.last { $0.kind == .form }?.session)
        #expect(other.userId == "bob")
        #expect(other.isForLogs)
        // The same answer again is nothing new.
        let count = stage.records(.form).count
        try stage.fill("kinds", ["one": "A"])
        #expect(stage.records(.form).count == count)
    }

    @Test("completing and resetting are told, and of the profile only what is derived")
    func profileRecords() throws {
        var stage = try Self.kinds()
        try stage.fill("kinds", ["one": "B", "many": ["C"], "stars": 3, "5": 9])
        #expect(stage.records(.form).last == #"kinds {"action":"completed"}"#)
        let told = try #require(stage.records(.profile).last)
        #expect(told.hasPrefix(#"profile {"form":"kinds","completed":true,"#))
        #expect(told.contains(#""value.scored":"good""#))
        #expect(told.contains(#""value.all":"c||x||b||last""#))
        #expect(!told.contains("value.tip"), "a daily value would change by itself")
        let count = stage.records(.profile).count
        try stage.fill("kinds", ["5": 10])
        #expect(stage.records(.profile).count == count, "nothing that is derived has changed")
        try stage.forget("kinds")
        #expect(stage.records(.form).last == #"kinds {"action":"reset"}"#)
        #expect(stage.records(.profile).last?.contains(#""completed":false"#) == true)
    }
}
