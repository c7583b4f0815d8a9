import HarkCore
import HarkWire
import Testing

@testable import HarkStore

/// The answers of users to forms, in a real store.
@Suite struct StoredFormTests {
    private static let ada = UserKey(uid: 1000, userId: "ada")

    private static func answer(
        _ answer: Answer, _ state: Submission.State? = nil, due: Int64 = 0,
        _ change: (inout Submission) -> Void = { _ in }
    ) -> FormAnswer {
        var submission = state.map { state in
            var submission = Submission(
                key: Identifier(high: 5, low: UInt64(due)), numericId: 7, dueAt: Timestamp(milliseconds: due))
            submission.state = state
            return submission
        }
        if var made = submission {
            change(&made)
            submission = made
        }
        return FormAnswer(answer, at: Timestamp(milliseconds: 99), submission: submission)
    }

    private static func rows(_ state: FormState, _ form: String, of user: UserKey) -> [Changes.Row] {
        [.other(FormRow.put(state, form: form, user))]
            + state.answers.map { question, answer in
                .other(FormRow.putAnswer(answer, SubmissionPlace(user: user, form: form, question: question.text)))
            }
    }

    private static func state(_ answers: KeyValuePairs<String, FormAnswer>) -> FormState {
        var state = FormState(startedAt: Timestamp(milliseconds: 11))
        for (question, answer) in answers { state.answers[question] = answer }
        return state
    }

    @Test("Q3: everything about an answer is read as it was written, also by another reader")
    func roundTrip() throws {
        let store = try StoreUnderTest()
        var full = Self.state([
            "choice": Self.answer(.choice("A")), "choices": Self.answer(.choices(["A", "B||C", ""])),
            "text": Self.answer(.text("ein\nZeilen\u{301}😀")), "number": Self.answer(.number(-3)),
            "sent": Self.answer(.text("x"), .submitted, due: 5) { submission in
                submission.attempts = 3
                submission.status = 200
                submission.submittedAt = Timestamp(milliseconds: 77)
            },
            "failed": Self.answer(.text("y"), .failed, due: 6) { submission in
                submission.problem = "the server said no"
                submission.status = 400
            },
            "offline": Self.answer(.text("z"), .queued, due: 7) { $0.isOffline = true },
        ])
        full.completedAt = Timestamp(milliseconds: 44)
        full.draft = FormDraft(page: "text", answers: ["text": "ein\n ", "choices": ["A"], "number": 3])
        try store.commit(rows: Self.rows(full, "f", of: Self.ada) + Self.rows(Self.state([:]), "g", of: Self.ada))
        try store.reopen()
        #expect(try store.reader.forms.forms(of: Self.ada) == [ExactName("f"): full, ExactName("g"): Self.state([:])])
        #expect(try store.reader.forms.forms(of: UserKey(uid: 1000, userId: nil)) == [:])
        #expect(try store.reader.forms.forms(of: UserKey(uid: 1001, userId: "ada")) == [:])
    }

    @Test("an answer is replaced and taken back, and a form is forgotten with all its answers")
    func removal() throws {
        let store = try StoreUnderTest()
        let user = UserKey(uid: 1000, userId: nil)
        let place = SubmissionPlace(user: user, form: "f", question: "q")
        let state = Self.state(["q": Self.answer(.text("a")), "r": Self.answer(.text("b"))])
        try store.commit(rows: Self.rows(state, "f", of: user))
        try store.commit(rows: [.other(FormRow.putAnswer(Self.answer(.text("c")), place))])
        #expect(try store.reader.forms.forms(of: user)["f"]?.answers["q"]?.answer == .text("c"))
        try store.commit(rows: [.other(FormRow.putAnswer(nil, place))])
        #expect(try store.reader.forms.forms(of: user)["f"]?.answers.keys.map(\.text) == ["r"])
        try store.commit(rows: [.other(FormRow.put(nil, form: "f", user))])
        #expect(try store.reader.forms.forms(of: user) == [:])
        #expect(try store.reader.database.integer("SELECT count(*) FROM form_answer") == 0)
    }

    @Test("what is due is found in the order of time, of the forms that are named only")
    func due() throws {
        let store = try StoreUnderTest()
        let state = Self.state([
            "c": Self.answer(.text("3"), .queued, due: 3_000), "a": Self.answer(.text("1"), .queued, due: 1_000),
            "b": Self.answer(.text("2"), .queued, due: 2_000), "s": Self.answer(.text("4"), .submitted, due: 1),
            "u": Self.answer(.text("5"), .unconfirmed, due: 1), "f": Self.answer(.text("6"), .failed, due: 1),
            "g": Self.answer(.text("7"), .sending, due: 1), "l": Self.answer(.text("8")),
        ])
        try store.commit(rows: Self.rows(state, "f", of: Self.ada))
        try store.commit(
            rows: Self.rows(Self.state(["o": Self.answer(.text("x"), .queued, due: 500)]), "o", of: Self.ada))
        func due(_ forms: [String], _ now: Int64, _ limit: Int = 10) throws -> [String] {
            try store.reader.dueSubmissions(of: forms, at: Timestamp(milliseconds: now), limit: limit)
                .map(\.question)
        }
        #expect(try due(["f"], 2_500) == ["a", "b"])
        #expect(try due(["f", "o"], 9_999) == ["o", "a", "b", "c"])
        #expect(try due(["f", "o"], 9_999, 2) == ["o", "a"])
        #expect(try due(["f"], -365 * 86_400_000) == ["a", "b", "c"], "the clock was set back")
        #expect(try due([], 9_999) == [])
        #expect(try store.reader.earliestSubmission(of: ["f"]) == Timestamp(milliseconds: 1_000))
        #expect(try store.reader.earliestSubmission(of: ["none"]) == nil)
    }

    @Test("at the start what was being sent is unconfirmed, and what waited for the network is due")
    func start() throws {
        let store = try StoreUnderTest()
        let state = Self.state([
            "sending": Self.answer(.text("1"), .sending), "later": Self.answer(.text("2"), .queued, due: 9_000),
            "offline": Self.answer(.text("3"), .queued, due: 9_000) { $0.isOffline = true },
        ])
        try store.commit(rows: Self.rows(state, "f", of: Self.ada))
        try store.commit(rows: [
            .other(FormRow.interruptSubmissions), .other(FormRow.hurrySubmissions(at: Timestamp(milliseconds: 50))),
        ])
        let answers = try store.reader.forms.forms(of: Self.ada)["f"]?.answers ?? [:]
        #expect(answers["sending"]?.submission?.state == .unconfirmed)
        #expect(answers["sending"]?.submission?.problem == Submission.interruptedProblem)
        #expect(answers["later"]?.submission?.dueAt == Timestamp(milliseconds: 9_000))
        #expect(answers["offline"]?.submission?.dueAt == Timestamp(milliseconds: 50))
    }

    @Test(
        "E6: clearing takes the answers of those who are meant",
        arguments: [
            (Selection.Target.all, UInt32?.none, 0), (.all, 1000, 1), (.user("ada"), nil, 1), (.user("ada"), 1000, 2),
            (.user(nil), 1000, 2), (.session(Identifier(high: 1, low: 1)), nil, 3),
        ])
    func clear(target: Selection.Target, uid: UInt32?, left: Int) throws {
        let store = try StoreUnderTest()
        for user in [Self.ada, UserKey(uid: 1001, userId: "ada"), UserKey(uid: 1000, userId: nil)] {
            try store.commit(rows: Self.rows(Self.state(["q": Self.answer(.text("x"))]), "f", of: user))
        }
        try store.commit(rows: [.other(FormRow.remove(Selection(target: target, uid: uid, upToRow: 99)))])
        #expect(try store.reader.database.integer("SELECT count(*) FROM form") == Int64(left))
        #expect(try store.reader.database.integer("SELECT count(*) FROM form_answer") == Int64(left))
    }
}
