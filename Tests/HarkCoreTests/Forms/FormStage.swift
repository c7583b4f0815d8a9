import HarkCore
import HarkWire

/// Forms on the stage of the engine's tests.
extension Stage {
    init(_ forms: FormConfiguration) {
        self.init()
        engine.configure(forms)
    }

    func participant(_ userId: String?, in scope: Scope? = nil) -> FormParticipant {
        FormParticipant(
            user: UserKey(uid: Stage.uid, userId: userId), scope: scope ?? self.scope, source: source)
    }

    private mutating func act<Value>(
        _ participant: FormParticipant, _ body: (inout Engine, inout Changes) throws -> Value
    ) rethrows -> Value {
        load(participant)
        let value = try body(&engine, &changes)
        if commitsEachStep { commit() }
        return value
    }

    private mutating func load(_ participant: FormParticipant) {
        disk.bring(.all([.countedScope(participant.scope), .forms(of: participant.user)]), to: &engine)
    }

    @discardableResult
    mutating func fill(_ form: String, _ answers: JSONObject, by userId: String? = "ada") throws -> FormState {
        let now = now
        let participant = participant(userId)
        return try act(participant) { engine, changes in
            try engine.answerForm(
                form, answers.map { ($0.key, $0.value) }, path: { "answers.\($0)" }, by: participant, now: now,
                into: &changes)
        }
    }

    @discardableResult
    mutating func forget(_ form: String, by userId: String? = "ada") throws -> Int {
        let now = now
        let participant = participant(userId)
        return try act(participant) { engine, changes in
            try engine.resetForm(form, by: participant, now: now, into: &changes)
        }
    }

    mutating func formState(_ form: String, of userId: String? = "ada") -> FormState? {
        let participant = participant(userId)
        load(participant)
        return engine.forms.state(of: participant.user, form)
    }

    mutating func progress(_ form: String, of userId: String? = "ada") -> FormProgress? {
        let state = formState(form, of: userId)
        return engine.forms.configuration.form(form)?.progress(in: state)
    }

    mutating func profile(of userId: String? = "ada", day: Int64 = 0) throws -> Profile {
        let participant = participant(userId)
        load(participant)
        return try engine.profile(of: participant.user, day: day)
    }

    mutating func exported(of userId: String? = "ada") throws -> String {
        let participant = participant(userId)
        load(participant)
        var json = JSONWriter()
        try engine.exportProfile(of: participant.user).info.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    mutating func take(_ document: String, by userId: String? = "ada") throws {
        let now = now
        let participant = participant(userId)
        let object = try Samples.json(document).objectValue ?? JSONObject()
        try act(participant) { engine, changes in
            try engine.importProfile(object, path: "profile", by: participant, now: now, into: &changes)
        }
    }

    // MARK: Submissions

    /// The answers that are due on disk, marked as being sent.
    mutating func beginSubmissions() -> [Engine.SubmissionJob] {
        let places = disk.forms.flatMap { user, forms in
            forms.flatMap { form, state in
                state.answers.keys.map { SubmissionPlace(user: user, form: form.text, question: $0.text) }
            }
        }
        for place in places { load(participant(place.user.userId)) }
        let jobs = engine.beginSubmissions(places.sorted { $0.question < $1.question }, now: now, into: &changes)
        if commitsEachStep { commit() }
        return jobs
    }

    mutating func end(_ job: Engine.SubmissionJob, _ outcome: Submission.Outcome, dice: Double = 1) {
        load(participant(job.place.user.userId))
        engine.endSubmission(job, outcome, dice: dice, now: now, into: &changes)
        if commitsEachStep { commit() }
        engine.forgetJob(at: job.place)
    }

    @discardableResult
    mutating func retry(_ question: String?, by userId: String? = "ada") throws -> Int {
        let now = now
        let participant = participant(userId)
        return try act(participant) { engine, changes in
            try engine.retrySubmissions("remote", question: question, by: participant, now: now, into: &changes).count
        }
    }

    mutating func submission(_ question: String, of userId: String? = "ada") -> Submission? {
        formState("remote", of: userId)?.answers[question]?.submission
    }

    /// The daemon was killed and is started anew.
    mutating func startAnew() {
        changes = Changes()
        let configuration = engine.forms.configuration
        engine = Engine(watermark: disk.watermark)
        engine.configure(configuration)
        engine.interruptSubmissions(into: &changes)
        engine.hurrySubmissions(now: now, into: &changes)
        commit()
    }

    /// The records of a kind, as their names and the JSON of their properties.
    func records(_ kind: Record.Kind) -> [String] {
        (disk.records + changes.records).filter { $0.kind == kind }.map { record in
            let members = record.properties.members.map { ($0.key, JSONValue($0.value)) }
            return "\(record.name) \(JSONValue.object(JSONObject(members)))"
        }
    }
}
