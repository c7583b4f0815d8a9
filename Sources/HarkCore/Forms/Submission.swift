package import HarkWire

/// How one answer gets to a form's server, once and not twice.
///
/// queued → sending → submitted, failed, unconfirmed, or queued again. `sending` is on disk before the first byte goes
/// out, so an answer that may have gone out is never taken for one that has not: if nobody hears what became of it, it is
/// unconfirmed, and sent again only when a person says so.
package struct Submission: Sendable, Equatable {
    package typealias State = SubmissionState

    package var state = State.queued
    /// The same for every attempt with the same answer, so that a server can tell a second from another.
    package let key: Identifier
    /// The question's id, if it is a number for the server.
    package let numericId: Int64?
    /// Attempts since it was last put in the queue by hand.
    package var attempts = 0
    /// When it is tried, while it is queued.
    package var dueAt: Timestamp
    /// It waits for the network rather than for the time.
    package var isOffline = false
    /// The HTTP status of the last response.
    package var status: Int?
    /// What went wrong last, in words.
    package var problem: String?
    package var submittedAt: Timestamp?

    package init(key: Identifier, numericId: Int64? = nil, dueAt: Timestamp) {
        self.key = key
        self.numericId = numericId
        self.dueAt = dueAt
    }

    /// Whether the server may have it: it has taken it, or nobody knows.
    package var mayHaveArrived: Bool { state != .queued && state != .failed }

    /// What became of an attempt.
    package enum Outcome: Sendable, Equatable {
        /// The server has answered.
        case response(status: Int, retryAfterMilliseconds: Int64?)
        /// Not a byte of it can have reached the server: why.
        case unsent(String)
        /// It may have reached the server or not: why.
        case unknown(String)
        /// It cannot be sent as it is; somebody has to mend something.
        case unsendable(String)
    }

    /// The wait after the first attempt that failed is at most this; it doubles with each further one.
    static let firstDelay: Int64 = 2_000
    static let longestDelay: Int64 = 600_000
    /// What a server asks for is respected up to a day.
    package static let longestRetryAfter: Int64 = 86_400_000

    /// No wait is longer than a day: one that ends later was begun by a clock that has been set back since.
    package static func isDue(_ dueAt: Timestamp, now: Timestamp) -> Bool {
        dueAt <= now || dueAt > now.adding(milliseconds: longestRetryAfter)
    }

    mutating func begin() {
        state = .sending
        attempts += 1
    }

    /// - Parameter dice: from 0 to 1: what failed together is not tried together again.
    mutating func end(_ outcome: Outcome, now: Timestamp, dice: Double) {
        isOffline = false
        status = nil
        switch outcome {
        case .response(let status, let retryAfter):
            self.status = status
            end(status, retryAfter, now: now, dice: dice)
        case .unsent(let why):
            isOffline = true
            problem = why
            wait(backoff(dice), from: now)
        case .unknown(let why):
            state = .unconfirmed
            problem = why
        case .unsendable(let why):
            state = .failed
            problem = why
        }
    }

    private mutating func end(_ status: Int, _ retryAfter: Int64?, now: Timestamp, dice: Double) {
        switch status {
        case 200..<300:
            state = .submitted
            submittedAt = now
            problem = nil
        case 408, 425, 429, 500...:
            problem = "the server answered with HTTP \(status)"
            wait(max(backoff(dice), min(retryAfter ?? 0, Submission.longestRetryAfter)), from: now)
        default:
            state = .failed
            problem = "the server did not take the answer (HTTP \(status))"
        }
    }

    private mutating func wait(_ delay: Int64, from now: Timestamp) {
        state = .queued
        dueAt = now.adding(milliseconds: delay)
    }

    /// Between half of it and all of it, so that it is never at once.
    private func backoff(_ dice: Double) -> Int64 {
        let doubled = Submission.firstDelay << min(Int64(max(attempts, 1) - 1), 16)
        return Int64(Double(min(doubled, Submission.longestDelay)) * (0.5 + dice / 2))
    }

    /// Somebody wants it tried again now.
    mutating func retry(now: Timestamp) {
        self = Submission(key: key, numericId: numericId, dueAt: now)
    }

    /// The network is back.
    mutating func hurry(now: Timestamp) {
        guard state == .queued, isOffline else { return }
        dueAt = min(dueAt, now)
    }

    /// It was under way when the daemon ended: nobody heard what became of it.
    mutating func interrupt() {
        guard state == .sending else { return }
        state = .unconfirmed
        problem = Submission.interruptedProblem
    }

    package static let interruptedProblem = "the daemon ended before the server had answered"
}

/// Which answer is meant.
package struct SubmissionPlace: Hashable, Sendable {
    package let user: UserKey
    package let form: String
    package let question: String

    package init(user: UserKey, form: String, question: String) {
        self.user = user
        self.form = form
        self.question = question
    }

    package static func == (left: SubmissionPlace, right: SubmissionPlace) -> Bool {
        left.user == right.user && left.form.hasSameBytes(as: right.form)
            && left.question.hasSameBytes(as: right.question)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(user)
        hasher.combine(ExactName(form))
        hasher.combine(ExactName(question))
    }
}
