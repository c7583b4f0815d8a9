import HarkCore
import HarkDelivery
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Sends answers to the servers of their forms, each by its own request.
///
/// An answer is stored as being sent before its request goes out; its outcome is stored before anybody is told. A crash
/// in between leaves an answer unconfirmed; it is never sent twice.
@DaemonActor
final class SubmissionDesk: Desk {
    typealias Headers = @DaemonActor (FormServer) throws(Secret.Missing) -> HTTPHeaders

    /// The maximum number of requests in progress.
    private static let maxConcurrent = 4
    /// The pause before it retries jobs that the engine did not want to begin.
    private static let pauseMicroseconds: UInt64 = 1_000_000

    private let ledger: Ledger
    private let client: HTTPClient
    private let headers: Headers
    private let loop: EventLoop
    private var timer: TimerSource?
    /// The requests in progress, and those whose outcome the store has not accepted yet.
    private var jobs: [SubmissionPlace: Job] = [:]
    private var isBeginning = false
    private var isStopped = false
    private var waiting: [SubmissionPlace: [ClientWait]] = [:]

    private struct Job {
        let job: Engine.SubmissionJob
        var outcome: Submission.Outcome?
        /// Whether a commit with the outcome is in progress.
        var isSettling = false
    }

    init(ledger: Ledger, loop: EventLoop, client: HTTPClient, headers: @escaping Headers) {
        self.ledger = ledger
        self.loop = loop
        self.client = client
        self.headers = headers
    }

    /// Marks requests of the last run as unconfirmed. Requests that waited for the network become due.
    func begin() throws {
        guard !isStopped else { return }
        let isStart = timer == nil
        if isStart {
            timer = try loop.timer(clock: .realtime, accuracyMicroseconds: 50_000) { [weak self] in self?.pump() }
        }
        for job in Array(jobs.values) { settle(job.job) }
        guard try ledger.lookUp({ reader throws(StoreError) in try reader.hasOpenSubmissions() }) else { return }
        if isStart { try ledger.decide { engine, changes, _ in engine.interruptSubmissions(into: &changes) } }
        try hurry()
        pump()
    }

    /// Starts no more requests.
    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    var isResting: Bool { !isBeginning && jobs.isEmpty }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        let isAboutForms = changes.value.rows.contains { if case .other(is FormRow) = $0 { true } else { false } }
        if isAboutForms { pump() }
    }

    func networkChanged(_ path: NetworkPath) {
        guard path.isSatisfied, !isStopped, !forms.isEmpty else { return }
        do throws(WireError) {
            try hurry()
        } catch {
            Log.debug("what waits for the network waits on: \(error.message)")
        }
    }

    private func hurry() throws(WireError) {
        try ledger.decide { engine, changes, now in engine.hurrySubmissions(now: now, into: &changes) }
    }

    /// Waits for the outcome of an answer that is to be sent now, at most as long as a request may take.
    func wait(for place: SubmissionPlace, seconds: Double, on connection: ClientConnection) -> ClientWait {
        let wait = ClientWait(connection, seconds: seconds, loop)
        // Removes waits that were cancelled or timed out.
        waiting[place]?.removeAll(where: \.isOver)
        waiting[place, default: []].append(wait)
        return wait
    }

    /// The forms whose answers are sent.
    private var forms: [String] {
        ledger.settings.forms.forms.filter { $0.submission != nil }.map(\.id)
    }

    var timerName: String { "submission" }

    var dueAt: Timestamp? {
        do throws(WireError) {
            return try earliest(forms)
        } catch {
            return nil
        }
    }

    private func earliest(_ forms: [String]) throws(WireError) -> Timestamp? {
        if forms.isEmpty { return nil }
        return try ledger.lookUp { reader throws(StoreError) in try reader.earliestSubmission(of: forms) }
    }

    /// Starts due requests, and sets the timer for the next.
    func pump() {
        guard !isStopped, !isBeginning, ledger.trouble == nil else { return }
        let forms = forms
        let room = SubmissionDesk.maxConcurrent - jobs.count
        do throws(WireError) {
            guard let due = try earliest(forms) else {
                timer?.disarm()
                return
            }
            guard Submission.isDue(due, now: ledger.now) else {
                timer?.arm(atMicroseconds: UInt64(max(0, due.milliseconds)) * 1_000)
                return
            }
            // A request that ends makes room and calls this again.
            if room > 0 { try begin(forms, room) }
        } catch {
            Log.warning("answers could not be sent, and wait: \(error.message)")
        }
    }

    private func begin(_ forms: [String], _ room: Int) throws(WireError) {
        let now = ledger.now
        let places = try ledger.lookUp { reader throws(StoreError) in
            try reader.dueSubmissions(of: forms, at: now, limit: room)
        }
        let needs: [Need] = places.map { .forms(of: $0.user) }
        let begun = try ledger.decide(needing: .all(needs)) { engine, changes, _ in
            engine.beginSubmissions(places, now: now, into: &changes)
        }
        isBeginning = true
        begun.then { [self] outcome in
            isBeginning = false
            guard case .success(let jobs) = outcome else {
                // Nothing was sent, and `begin` starts over.
                for place in places where self.jobs[place] == nil { forgetJob(at: place) }
                return
            }
            for job in jobs.value { send(jobs.map { _ in job }) }
            if jobs.value.isEmpty {
                // The rows have changed since the last commit; the commit of that change calls this again.
                timer?.arm(atMicroseconds: SystemClock.realtimeMicroseconds + SubmissionDesk.pauseMicroseconds)
            } else {
                pump()
            }
        }
    }

    private func send(_ begun: Stored<Engine.SubmissionJob>) {
        let job = begun.value
        jobs[job.place] = Job(job: job)
        DaemonActor.task { [self] in
            // Two statements: in one, the dictionary entry would be accessed across the wait.
            let outcome = await outcome(of: begun)
            jobs[job.place]?.outcome = outcome
            settle(job)
        }
    }

    private func outcome(of begun: Stored<Engine.SubmissionJob>) async -> Submission.Outcome {
        let job = begun.value
        let headers: HTTPHeaders
        do throws(Secret.Missing) {
            headers = try self.headers(job.server)
        } catch {
            return .unsendable(error.description)
        }
        do throws(HTTPError) {
            let request = Submission.Outcome.request(for: job, headers: headers)
            return Submission.Outcome(try await client.send(request), now: ledger.now)
        } catch {
            return Submission.Outcome(error)
        }
    }

    /// Tells the engine that no request is in progress there; this is not stored.
    private func forgetJob(at place: SubmissionPlace) { ledger.adjust { $0.forgetJob(at: place) } }

    /// Stores the outcome of an answer. If the store refuses, `begin` stores it later.
    private func settle(_ job: Engine.SubmissionJob) {
        guard let known = jobs[job.place], let outcome = known.outcome, !known.isSettling else { return }
        do throws(WireError) {
            try ledger.decide(needing: .forms(of: job.place.user)) { engine, changes, now in
                engine.endSubmission(job, outcome, dice: .random(in: 0...1), now: now, into: &changes)
            }.then { [self] outcome in
                jobs[job.place]?.isSettling = false
                guard case .success = outcome else { return }
                jobs[job.place] = nil
                forgetJob(at: job.place)
                for wait in waiting.removeValue(forKey: job.place) ?? [] { wait.end() }
                pump()
            }
            jobs[job.place]?.isSettling = true
        } catch {
            Log.debug("what became of an answer is not stored yet: \(error.message)")
        }
    }
}
