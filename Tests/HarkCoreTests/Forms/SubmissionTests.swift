import HarkCore
import HarkWire
import Testing

@Suite("Submitting answers (Q1, Q2, Q3)")
struct SubmissionTests {
    static func stage() -> Stage {
        Stage(
            FormSamples.remote([
                Question(id: "1", numericId: 1, prompt: "Colour?", kind: .text(.init())),
                Question(id: "b", prompt: "Food?", kind: .text(.init())),
            ]))
    }

    static func sent() throws -> (stage: Stage, job: Engine.SubmissionJob) {
        var stage = stage()
        try stage.fill("remote", ["1": "Blue"])
        let jobs = stage.beginSubmissions()
        return (stage, try #require(jobs.first))
    }

    @Test("Q1: each answer is a request of its own, with the id as it came")
    func bodies() throws {
        var stage = Self.stage()
        try stage.fill("remote", ["1": " Blue ", "b": "Bread\n\"and\" butter"])
        let jobs = stage.beginSubmissions()
        #expect(
            jobs.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"id":1,"answer":"Blue"}"#, #"{"id":"b","answer":"Bread\n\"and\" butter"}"#,
            ])
        #expect(jobs[0].key != jobs[1].key)
        #expect(jobs[0].server.url == "https://forms.example.org/answers")
    }

    @Test("Q1: 200 is success; a submitted answer counts and is final")
    func accepted() throws {
        var (stage, job) = try Self.sent()
        #expect(stage.submission("1")?.state == .sending)
        #expect(stage.progress("remote")?.text == "0 of 2 Questions Answered")
        stage.end(job, .response(status: 200, retryAfterMilliseconds: nil))
        #expect(stage.submission("1")?.state == .submitted)
        #expect(stage.progress("remote")?.text == "1 of 2 Questions Answered")
        for answer: JSONValue in ["Blue", "Red"] {
            let error = #expect(throws: WireError.self) { try stage.fill("remote", ["1": answer]) }
            #expect(error?.reason == .conflict)
        }
        #expect(throws: WireError.self) { try stage.retry("1") }
        #expect(stage.beginSubmissions().isEmpty)
    }

    @Test("the form is completed when the last answer was taken")
    func completed() throws {
        var (stage, first) = try Self.sent()
        stage.end(first, .response(status: 200, retryAfterMilliseconds: nil))
        try stage.fill("remote", ["b": "Bread"])
        #expect(stage.formState("remote")?.completedAt == nil)
        let second = try #require(stage.beginSubmissions().first)
        stage.now = stage.now.adding(milliseconds: 1_000)
        stage.end(second, .response(status: 201, retryAfterMilliseconds: nil))
        #expect(stage.formState("remote")?.completedAt == stage.now)
        #expect(stage.records(.form).last == #"remote {"action":"completed"}"#)
    }

    @Test("Q1: 400 and its like wait for a person", arguments: [400, 401, 404, 409, 410, 413, 422, 301, 302])
    func refused(status: Int) throws {
        var (stage, job) = try Self.sent()
        stage.end(job, .response(status: status, retryAfterMilliseconds: nil))
        #expect(stage.submission("1")?.state == .failed)
        #expect(stage.submission("1")?.status == status)
        #expect(stage.progress("remote")?.failed == 1)
        stage.now = stage.now.adding(milliseconds: 365 * Stage.day)
        #expect(stage.beginSubmissions().isEmpty)
        #expect(try stage.retry("1") == 1)
        let again = try #require(stage.beginSubmissions().first)
        #expect(again.key == job.key, "the same answer has the same key")
        stage.end(again, .response(status: status, retryAfterMilliseconds: nil))
        try stage.fill("remote", ["1": "Red"])
        #expect(try #require(stage.beginSubmissions().first).key != job.key)
    }

    @Test("429 and 5xx are tried again later and later", arguments: [408, 429, 500, 502, 503, 504])
    func later(status: Int) throws {
        var (stage, job) = try Self.sent()
        var waits: [Int64] = []
        for _ in 0..<12 {
            stage.end(job, .response(status: status, retryAfterMilliseconds: nil))
            let due = try #require(stage.submission("1")?.dueAt)
            waits.append(due.milliseconds - stage.now.milliseconds)
            stage.now = due.adding(milliseconds: -1)
            #expect(stage.beginSubmissions().isEmpty)
            stage.now = due
            job = try #require(stage.beginSubmissions().first)
        }
        #expect(Array(waits.prefix(4)) == [2_000, 4_000, 8_000, 16_000])
        #expect(waits.last == 600_000)
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("the dice leave at least half of the wait")
    func dice() throws {
        var (stage, job) = try Self.sent()
        stage.end(job, .response(status: 503, retryAfterMilliseconds: nil), dice: 0)
        #expect(stage.submission("1")?.dueAt == stage.now.adding(milliseconds: 1_000))
    }

    @Test("a server that says when to come back is heeded, within reason")
    func retryAfter() throws {
        var (stage, job) = try Self.sent()
        stage.end(job, .response(status: 429, retryAfterMilliseconds: 90_000))
        #expect(stage.submission("1")?.dueAt == stage.now.adding(milliseconds: 90_000))
        stage.now = stage.now.adding(milliseconds: 90_000)
        job = try #require(stage.beginSubmissions().first)
        stage.end(job, .response(status: 503, retryAfterMilliseconds: 365 * Stage.day))
        #expect(stage.submission("1")?.dueAt == stage.now.adding(milliseconds: Stage.day))
    }

    @Test("Q3: without a network it waits, and is due at once when there is one again, over a restart too")
    func offline() throws {
        var (stage, job) = try Self.sent()
        for _ in 0..<8 {
            stage.end(job, .unsent("cannot connect"))
            stage.now = try #require(stage.submission("1")?.dueAt)
            job = try #require(stage.beginSubmissions().first)
        }
        stage.end(job, .unsent("cannot connect"))
        #expect(stage.submission("1")?.isOffline == true)
        #expect(stage.beginSubmissions().isEmpty)
        stage.engine.hurrySubmissions(now: stage.now, into: &stage.changes)
        stage.commit()
        #expect(stage.beginSubmissions().count == 1)
        stage.end(job, .unsent("cannot connect"))
        #expect(stage.beginSubmissions().isEmpty)
        stage.startAnew()
        #expect(stage.beginSubmissions().count == 1)
    }

    @Test("who is looked up while the store does not know yet that the network is back is hurried, too")
    func hurriedMeanwhile() throws {
        var (stage, job) = try Self.sent()
        for isHurried in [true, false] {
            stage.end(job, .unsent("cannot connect"))
            stage.engine = stage.engine.restarted(at: stage.disk.watermark)
            if isHurried { stage.engine.hurrySubmissions(now: stage.now, into: &stage.changes) }
            // One that the store knows of says nothing about later tries.
            #expect((try #require(stage.submission("1")?.dueAt) == stage.now) == isHurried)
            stage.commit()
            guard isHurried else { continue }
            job = try #require(stage.beginSubmissions().first)
        }
    }

    @Test("a clock that is set back does not make anything wait longer than a day")
    func clockSetBack() throws {
        var (stage, job) = try Self.sent()
        stage.end(job, .response(status: 503, retryAfterMilliseconds: nil))
        stage.now = stage.now.adding(milliseconds: -3 * Stage.hour)
        #expect(stage.beginSubmissions().isEmpty)
        stage.now = stage.now.adding(milliseconds: -365 * Stage.day)
        #expect(stage.beginSubmissions().count == 1)
    }

    @Test("what a server put off is not hurried by a network that returns")
    func notHurried() throws {
        var (stage, job) = try Self.sent()
        stage.end(job, .response(status: 429, retryAfterMilliseconds: 90_000))
        stage.engine.hurrySubmissions(now: stage.now, into: &stage.changes)
        stage.commit()
        #expect(stage.beginSubmissions().isEmpty)
    }

    @Test("Q3: nobody knows what became of it: it is not sent again by itself, only by hand and by name")
    func unknown() throws {
        var (stage, job) = try Self.sent()
        stage.end(job, .unknown("took too long"))
        #expect(stage.submission("1")?.state == .unconfirmed)
        #expect(stage.progress("remote")?.unconfirmed == 1)
        stage.now = stage.now.adding(milliseconds: 365 * Stage.day)
        stage.engine.hurrySubmissions(now: stage.now, into: &stage.changes)
        stage.commit()
        #expect(stage.beginSubmissions().isEmpty)
        #expect(try stage.retry(nil) == 0)
        #expect(stage.beginSubmissions().isEmpty)
        #expect(try stage.retry("1") == 1)
        #expect(stage.beginSubmissions().map(\.key) == [job.key])
    }

    @Test("Q3: the daemon was killed while it was sent: unconfirmed, whether the user was heard of before or not")
    func killed() throws {
        var (stage, _) = try Self.sent()
        stage.startAnew()
        #expect(stage.beginSubmissions().isEmpty)
        #expect(stage.submission("1")?.state == .unconfirmed)
        let kept = stage.disk.forms[UserKey(uid: Stage.uid, userId: "ada")]?["remote"]?.answers["1"]?.submission
        #expect(kept?.state == .unconfirmed)
    }

    @Test("the store refused and the engine began anew: what is under way stays so, and its end is taken in")
    func restarted() throws {
        var (stage, job) = try Self.sent()
        stage.engine = stage.engine.restarted(at: stage.disk.watermark)
        #expect(stage.submission("1")?.state == .sending)
        #expect(stage.beginSubmissions().isEmpty)
        stage.end(job, .response(status: 200, retryAfterMilliseconds: nil))
        #expect(stage.submission("1")?.state == .submitted)
    }

    @Test("while it is sent it cannot be answered anew; forgotten meanwhile, its end is passed over")
    func meanwhile() throws {
        var (stage, job) = try Self.sent()
        let error = #expect(throws: WireError.self) { try stage.fill("remote", ["1": "Red"]) }
        #expect(error?.reason == .conflict)
        try stage.forget("remote")
        try stage.fill("remote", ["1": "Red"])
        #expect(stage.beginSubmissions().isEmpty, "one at a time")
        stage.end(job, .response(status: 200, retryAfterMilliseconds: nil))
        #expect(stage.submission("1")?.state == .queued)
        #expect(
            stage.beginSubmissions().map { String(decoding: $0.body, as: UTF8.self) } == [#"{"id":1,"answer":"Red"}"#])
    }

    @Test("a form without its server, or gone, sends nothing; back again, it does")
    func gone() throws {
        var stage = Self.stage()
        try stage.fill("remote", ["1": "Blue"])
        let configuration = stage.engine.forms.configuration
        stage.engine.configure(.none)
        #expect(stage.beginSubmissions().isEmpty)
        stage.engine.configure(configuration)
        #expect(stage.beginSubmissions().count == 1)
    }

    @Test("the questions of the server have changed: an answer goes out with the id it was given for")
    func changed() throws {
        var stage = Self.stage()
        try stage.fill("remote", ["1": "Blue"])
        stage.engine.configure(FormSamples.remote([Question(id: "9", kind: .text(.init()))]))
        #expect(
            stage.beginSubmissions().map { String(decoding: $0.body, as: UTF8.self) } == [#"{"id":1,"answer":"Blue"}"#])
    }

    @Test("a waiting answer can be changed, and only the last one is sent")
    func replaced() throws {
        var stage = Self.stage()
        try stage.fill("remote", ["1": "Blue"])
        try stage.fill("remote", ["1": "Green"])
        #expect(
            stage.beginSubmissions().map { String(decoding: $0.body, as: UTF8.self) } == [#"{"id":1,"answer":"Green"}"#]
        )
    }
}
