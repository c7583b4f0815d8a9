internal import HarkWire

/// Decides the meaning of a response for a remote document, and when to ask again. Pure: time and dice are parameters.
struct RefreshPlan: Sendable {
    /// The current time by two clocks: wall time, and one that never jumps.
    struct Moment: Sendable {
        let wall: Timestamp
        let bootMicroseconds: UInt64
    }

    /// The meaning of a response.
    enum Verdict: Sendable, Equatable {
        case unchanged
        /// A new document, if its content is valid.
        case candidate([UInt8], ServedVersion)
        case failed(String)
    }

    /// The maximum wait after the first failure; each further failure doubles it, up to the interval.
    static let firstBackoffSeconds = 5.0

    let intervalSeconds: Double
    /// The version of the last good document.
    private(set) var version = ServedVersion()
    private(set) var lastAttempt: Timestamp?
    private(set) var lastSuccess: Timestamp?
    /// Why the last attempt failed; nil after a success.
    private(set) var lastError: String?
    /// The failures since the last success.
    private(set) var failures = 0
    /// The time of the next request, in microseconds since boot; nil before the first attempt and during one.
    private(set) var dueAt: UInt64?

    init(intervalSeconds: Double) {
        self.intervalSeconds = intervalSeconds
    }

    /// Adopts a document from an earlier run, which may be out of date.
    mutating func adopt(_ version: ServedVersion) {
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
            case 200: .candidate(response.body, ServedVersion(of: response))
            case 304 where version.isKnown: .unchanged
            case 304: .failed("the server says 'not modified' (HTTP 304) though it was asked for the whole document")
            case 401, 403, 407:
                .failed("the server refuses (HTTP \(response.status)): check the credentials")
            case 404, 410: .failed("there is no such document (HTTP \(response.status)): check the address")
            default: .failed("the server answers HTTP \(response.status)")
            }
        }
    }

    /// Notes that the document is up to date. `version` is nil if it has not changed.
    mutating func succeed(_ version: ServedVersion?, at now: Moment) {
        if let version { self.version = version }
        lastSuccess = now.wall
        lastError = nil
        failures = 0
        wait(intervalSeconds, from: now)
    }

    /// Notes a failure; the last good document stays. `dice`, from 0 to 1, spreads the retries of many machines.
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
