internal import HarkWire

/// Decides what an answer means for a remote document, and when to ask again. Pure: the time and the dice are handed in.
struct RefreshPlan: Sendable {
    /// Now, by both clocks: the one people read, and one that never jumps.
    struct Moment: Sendable {
        let wall: Timestamp
        let bootMicroseconds: UInt64
    }

    /// What an answer means.
    enum Verdict: Sendable, Equatable {
        case unchanged
        /// The new document, provided its content is fine.
        case candidate([UInt8], DocumentVersion)
        case failed(String)
    }

    /// The wait after the first failure is at most this; it doubles with each further one, up to the interval.
    static let firstBackoffSeconds = 5.0

    let intervalSeconds: Double
    /// Of the last good document.
    private(set) var version = DocumentVersion()
    private(set) var lastAttempt: Timestamp?
    private(set) var lastSuccess: Timestamp?
    /// Why the last attempt failed; nil after a success.
    private(set) var lastError: String?
    /// Since the last success.
    private(set) var failures = 0
    /// When to ask again, in microseconds since the machine was started; nil before the first attempt and during one.
    private(set) var dueAt: UInt64?

    init(intervalSeconds: Double) {
        self.intervalSeconds = intervalSeconds
    }

    /// A document from an earlier run is in force; it may well be out of date.
    mutating func adopt(_ version: DocumentVersion) {
        self.version = version
    }

    mutating func begin(at now: Moment) {
        lastAttempt = now.wall
        dueAt = nil
    }

    func verdict(on answer: Result<HTTPResponse, HTTPError>) -> Verdict {
        switch answer {
        case .failure(let error): .failed(error.message)
        case .success(let response):
            switch response.status {
            case 200: .candidate(response.body, DocumentVersion(of: response))
            case 304 where version.isKnown: .unchanged
            case 304: .failed("the server says 'not modified' (HTTP 304) though it was asked for the whole document")
            case 401, 403, 407:
                .failed("the server refuses (HTTP \(response.status)): check the credentials")
            case 404, 410: .failed("there is no such document (HTTP \(response.status)): check the address")
            default: .failed("the server answers HTTP \(response.status)")
            }
        }
    }

    /// The document is up to date. `version` is nil if it is the one we have.
    mutating func succeed(_ version: DocumentVersion?, at now: Moment) {
        if let version { self.version = version }
        lastSuccess = now.wall
        lastError = nil
        failures = 0
        wait(intervalSeconds, from: now)
    }

    /// The last good document stays. `dice` is from 0 to 1: machines that failed together come back apart.
    mutating func fail(_ reason: String, at now: Moment, dice: Double) {
        lastError = reason
        failures += 1
        let doubled = RefreshPlan.firstBackoffSeconds * Double(UInt64(1) << min(UInt64(failures) - 1, 32))
        wait(min(intervalSeconds, doubled) * (0.5 + dice / 2), from: now)
    }

    private mutating func wait(_ seconds: Double, from now: Moment) {
        dueAt = now.bootMicroseconds + UInt64(seconds * 1_000_000)
    }
}
