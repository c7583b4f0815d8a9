internal import HarkCore
internal import HarkWire

/// Decides whether a destination may be tried: by its breaker, and by the network as far as it is known. Pure: the time
/// and a random number are set before each event, and the gate takes the duties afterwards.
struct GateState {
    let name: String
    let policy: RetryPolicy
    private(set) var breaker: Breaker
    /// Whether the breaker differs from the stored one.
    private(set) var isDirty = false
    var isOnline = true {
        didSet {
            guard isOnline != oldValue else { return }
            period += 1
            guard isOnline else { return }
            breaker.networkReturned(at: now)
            changed()
        }
    }
    /// The number of network changes so far, which identifies a period between two of them.
    private(set) var period = 0
    /// The period in which the server was last reached.
    private var provenPeriod = 0

    var now: Timestamp
    /// The believed time, by which ages are measured: a jump must not empty the buffer.
    var ageNow: Timestamp
    /// A random number from 0 to 1.
    var dice = 1.0

    /// A duty of the gate after an event.
    enum Duty {
        /// Arm the timer for the next try; it fires at once if that is due.
        case arm
        /// Notify the waiting lanes: records may be sent that could not be sent before.
        case open
        case warn(String)
        case tell(String)
    }
    private var duties: [Duty] = []

    init(name: String, policy: RetryPolicy, breaker: Breaker, now: Timestamp) {
        self.name = name
        self.policy = policy
        self.breaker = breaker
        self.now = now
        ageNow = now
    }

    mutating func takeDuties() -> [Duty] {
        guard !duties.isEmpty else { return [] }
        defer { duties = [] }
        return duties
    }

    /// Starts after a start of the daemon, or after a change of the destination's settings.
    mutating func begin(isNewRun: Bool) {
        if isNewRun { breaker.restarted(at: now) } else { breaker.configuredAnew(policy, at: now) }
        arm()
    }

    mutating func permission() -> Breaker.Permission {
        let permission = breaker.permission(at: now)
        if permission == .probe { isDirty = true }
        if case .wait = permission { arm() }
        return permission
    }

    /// Whether there is no network, and the destination is not known to work without.
    var isCutOff: Bool { !isOnline && provenPeriod != period }

    /// Whether a request that began in an earlier period failed because the network changed, which says nothing about
    /// the server or the current network.
    func isOutdated(_ failure: DeliveryFailure, since period: Int) -> Bool {
        failure.isOfNetwork && isOnline && period != self.period
    }

    /// Whether a failure counts as a try of the entry: failures of the network alone do not.
    func counts(_ failure: DeliveryFailure, since period: Int, asProbe isProbe: Bool) -> Bool {
        switch failure.kind {
        case .server: true
        case .network: isOnline && period == self.period && !isProbe
        case .local, .unreachable, .throttled, .quota, .refused, .unauthorized, .tooLarge, .unsendable, .dropped: false
        }
    }

    mutating func succeeded() {
        provenPeriod = period
        guard breaker.state != .closed || breaker.lastFailure != nil else { return }
        if breaker.state == .halfOpen { duties.append(.tell("works again")) }
        breaker.succeed()
        changed()
    }

    mutating func failed(_ failure: DeliveryFailure) {
        var failure = failure
        // The server's words may differ each time, and must not get into the log or the stored breaker.
        failure.words = nil
        if breaker.lastFailure != failure { duties.append(.warn(failure.reason)) }
        breaker.fail(failure, policy: policy, now: now, dice: dice)
        changed(mayOpen: false)
    }

    /// Gives up a probe that was not sent; does nothing if its result is known.
    mutating func abandonProbe() {
        guard breaker.state == .halfOpen else { return }
        breaker.abandonProbe(at: now)
        changed()
    }

    /// Retries now instead of later.
    mutating func hurry() {
        breaker.hurry(at: now)
        changed()
    }

    mutating func resume() {
        breaker.resume()
        changed()
    }

    /// Notes that the store has this state of the breaker.
    mutating func stored(_ breaker: Breaker) {
        if self.breaker == breaker { isDirty = false }
    }

    /// Arms the timer for the next try; it fires at once if that is due.
    mutating func arm() { duties.append(.arm) }

    private mutating func changed(mayOpen: Bool = true) {
        isDirty = true
        arm()
        if mayOpen, breaker.state != .halfOpen, breaker.state != .suspended { duties.append(.open) }
    }
}
