import HarkCore
import HarkDelivery
import HarkStore
import HarkSystem
import HarkWire

/// Brings answers to the servers of their forms, each by a request of its own.
///
/// An answer is marked as being sent, and only when that is on disk the request goes out; what becomes of it is on disk
/// before anybody is told. A crash in between leaves an answer that is unconfirmed, never one that is sent twice.
@DaemonActor
final class SubmissionDesk {
    typealias Headers = @DaemonActor (FormServer) throws(Secret.Missing) -> HTTPHeaders

    /// So many requests are under way at most.
    private static let maxConcurrent = 4
    /// Before it looks again for what the engine did not want to begin.
    private static let pauseMicroseconds: UInt64 = 1_000_000

    private let ledger: Ledger
    private let client: HTTPClient
    private let headers: Headers
    private let loop: EventLoop
    private var timer: TimerSource?
    private var underWay = 0
    private var isBeginning = false
    private var isStopped = false
    /// The store would not take that what waits for the network is due.
    private var owesHurry = false
    private var waiting: [SubmissionPlace: [SubmissionWait]] = [:]
    /// Outcomes that the store would not take.
    private var unsettled: [(job: Engine.SubmissionJob, outcome: Submission.Outcome)] = []

    init(ledger: Ledger, loop: EventLoop, client: HTTPClient, headers: @escaping Headers) {
        self.ledger = ledger
        self.loop = loop
        self.client = client
        self.headers = headers
    }

    /// Takes up where the last run ended: what was being sent then is unconfirmed, what waited for the network is due.
    func begin() throws {
        timer = try loop.timer(clock: .realtime, accuracyMicroseconds: 50_000) { [weak self] in self?.pump() }
        guard try ledger.lookUp({ reader throws(StoreError) in try reader.hasOpenSubmissions() }) else { return }
        try ledger.decide { engine, changes, _ in engine.interruptSubmissions(into: &changes) }
        try hurry()
    }

    /// Begins nothing more.
    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    var isResting: Bool { underWay == 0 }

    func follow(_ changes: Changes) {
        let isAboutForms = changes.rows.contains { if case .form = $0 { true } else { false } }
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
        owesHurry = false
        try ledger.decide { engine, changes, now in engine.hurrySubmissions(now: now, into: &changes) }
        ledger.ifRefused { [self] _ in owesHurry = true }
    }

    /// The store takes commits again.
    func recover() {
        let again = unsettled
        unsettled = []
        for (job, outcome) in again { settle(job, outcome) }
        do throws(WireError) {
            if owesHurry { try hurry() }
        } catch {
            Log.debug("what waits for the network waits on: \(error.message)")
        }
        pump()
    }

    /// Waits until something has become of an answer that is to be sent now, or for so long as a request may take.
    func wait(for place: SubmissionPlace, seconds: Double) -> SubmissionWait {
        let wait = SubmissionWait(seconds: seconds, loop)
        waiting[place, default: []].append(wait)
        return wait
    }

    /// The forms that send answers.
    private var forms: [String] {
        ledger.engine.forms.configuration.forms.filter { $0.submission != nil }.map(\.id)
    }

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

    /// Begins what is due, and sets the timer for what is due next.
    func pump() {
        guard !isStopped, !isBeginning, ledger.trouble == nil else { return }
        let forms = forms
        let room = SubmissionDesk.maxConcurrent - underWay
        do throws(WireError) {
            guard let due = try earliest(forms) else {
                timer?.disarm()
                return
            }
            guard Submission.isDue(due, now: ledger.now) else {
                timer?.arm(atMicroseconds: UInt64(max(0, due.milliseconds)) * 1_000)
                return
            }
            // Whoever ends makes room, and comes here again.
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
        let jobs = try ledger.decideBringing(
            { reader, engine throws(StoreError) in
                for place in places { try reader.bringForms(of: place.user, to: &engine) }
            },
            then: { engine, changes, _ in engine.beginSubmissions(places, now: now, into: &changes) })
        guard !jobs.isEmpty else {
            // What has changed since the last commit: that commit leads here again.
            timer?.arm(atMicroseconds: SystemClock.realtimeMicroseconds + SubmissionDesk.pauseMicroseconds)
            return
        }
        isBeginning = true
        underWay += jobs.count
        let commitment = ledger.commitment()
        DaemonActor.task { [self] in
            do throws(WireError) {
                _ = try await commitment.report()
                isBeginning = false
                for job in jobs { send(job) }
                pump()
            } catch {
                // Nothing has gone out. The engine has forgotten that it should; `recover` begins anew.
                isBeginning = false
                underWay -= jobs.count
                for job in jobs { forget(job) }
            }
        }
    }

    private func send(_ job: Engine.SubmissionJob) {
        DaemonActor.task { [self] in settle(job, await outcome(of: job)) }
    }

    private func outcome(of job: Engine.SubmissionJob) async -> Submission.Outcome {
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

    /// Puts down what became of an answer.
    private func settle(_ job: Engine.SubmissionJob, _ outcome: Submission.Outcome) {
        do throws(WireError) {
            try ledger.decideBringing(
                { reader, engine throws(StoreError) in try reader.bringForms(of: job.place.user, to: &engine) },
                then: { engine, changes, now in
                    engine.endSubmission(job, outcome, dice: .random(in: 0...1), now: now, into: &changes)
                })
            let commitment = ledger.commitment()
            DaemonActor.task { [self] in
                do throws(WireError) {
                    _ = try await commitment.report()
                    underWay -= 1
                    forget(job)
                    for wait in waiting.removeValue(forKey: job.place) ?? [] { wait.end() }
                    pump()
                } catch {
                    unsettled.append((job, outcome))
                }
            }
        } catch {
            unsettled.append((job, outcome))
        }
    }

    private func forget(_ job: Engine.SubmissionJob) {
        ledger.forgetJob(job)
    }
}

/// Somebody who waits for something to become of an answer.
@DaemonActor
final class SubmissionWait {
    private var timer: TimerSource?
    private var isOver = false
    private var continuation: CheckedContinuation<Void, Never>?

    init(seconds: Double, _ loop: EventLoop) {
        do throws(SystemError) {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 50_000) { [weak self] in self?.end() }
            timer.arm(afterMicroseconds: UInt64(seconds * 1_000_000))
            self.timer = timer
        } catch {
            isOver = true
        }
    }

    func value() async {
        // The body may run a turn later, and it be over by then.
        await withCheckedContinuation { if isOver { $0.resume() } else { continuation = $0 } }
    }

    func end() {
        isOver = true
        timer?.cancel()
        timer = nil
        continuation?.resume()
        continuation = nil
    }
}
