package import HarkWire

/// The state of sending one answer to a form's server, at most once.
///
/// queued → sending → submitted, failed, unconfirmed, or queued again. `sending` is on disk before the first byte goes
/// out, so an answer that may have been sent is never taken for one that was not. If its outcome is unknown, it is
/// unconfirmed, and sent again only when a person asks for it.
package struct Submission: Sendable, Equatable {
    package typealias State = SubmissionState

    package var state = State.queued
    /// The idempotency key: the same for every attempt with the same answer, so that a server recognises a retry.
    package let key: Identifier
    /// The question's id, if the server uses a number.
    package let numericId: Int64?
    /// The attempts since the answer was last queued by hand.
    package var attempts = 0
    /// When the next attempt is due, while queued.
    package var dueAt: Timestamp
    /// Whether it waits for the network rather than for a time.
    package var isOffline = false
    /// The HTTP status of the last response.
    package var status: Int?
    /// The last error, in words.
    package var problem: String?
    package var submittedAt: Timestamp?

    package init(key: Identifier, numericId: Int64? = nil, dueAt: Timestamp) {
        self.key = key
        self.numericId = numericId
        self.dueAt = dueAt
    }

    /// Whether the server has accepted the answer or may have it.
    package var mayHaveArrived: Bool { state != .queued && state != .failed }

    /// The outcome of an attempt.
    package enum Outcome: Sendable, Equatable {
        /// The server responded.
        case response(status: Int, retryAfterMilliseconds: Int64?)
        /// Not a byte can have reached the server; with the reason.
        case unsent(String)
        /// The request may or may not have reached the server; with the reason.
        case unknown(String)
        /// The request cannot be sent until an administrator corrects a fault; with the reason.
        case unsendable(String)
    }

    /// The longest wait after the first failed attempt, in milliseconds; it doubles with each further one.
    static let firstDelay: Int64 = 2_000
    static let longestDelay: Int64 = 600_000
    /// The longest `Retry-After` that is respected, in milliseconds: a day.
    package static let longestRetryAfter: Int64 = 86_400_000

    /// Whether an attempt is due. No wait is longer than a day: a later due time means that the clock was set back
    /// since.
    package static func isDue(_ dueAt: Timestamp, now: Timestamp) -> Bool {
        dueAt <= now || dueAt > now.adding(milliseconds: longestRetryAfter)
    }

    mutating func begin() {
        state = .sending
        attempts += 1
    }

    /// - Parameter dice: a random number from 0 to 1, which spreads the retries of submissions that failed together.
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

    /// A random wait between half and all of the current limit, so that a retry is never immediate.
    private func backoff(_ dice: Double) -> Int64 {
        let doubled = Submission.firstDelay << min(Int64(max(attempts, 1) - 1), 16)
        return Int64(Double(min(doubled, Submission.longestDelay)) * (0.5 + dice / 2))
    }

    /// Queues the answer anew for an attempt now.
    mutating func retry(now: Timestamp) {
        self = Submission(key: key, numericId: numericId, dueAt: now)
    }

    /// Makes it due if it waits for the network.
    mutating func hurry(now: Timestamp) {
        guard state == .queued, isOffline else { return }
        dueAt = min(dueAt, now)
    }

    /// Marks an answer that was being sent when the daemon ended: its outcome is unknown.
    mutating func interrupt() {
        guard state == .sending else { return }
        state = .unconfirmed
        problem = Submission.interruptedProblem
    }

    package static let interruptedProblem = "the daemon ended before the server had answered"
}

/// Identifies an answer.
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
