internal import HarkCore
internal import HarkWire

/// Whether a destination may be tried: its breaker, and the network as far as it is known. Pure: the time and the dice of
/// an event are put in before it, and what its gate has to do after it is taken out.
struct GateState {
    let name: String
    let policy: RetryPolicy
    private(set) var breaker: Breaker
    /// The breaker is not as the store has it.
    private(set) var isDirty = false
    var isOnline = true {
        didSet {
            guard isOnline != oldValue else { return }
            spell += 1
            guard isOnline else { return }
            breaker.networkReturned(at: now)
            changed()
        }
    }
    /// Counts how often the network went or came.
    private(set) var spell = 0
    /// The spell in which the server was reached last.
    private var provenSpell = 0

    var now: Timestamp
    /// The time by which it is decided what is too old: a clock that jumps must not empty the buffer.
    var ageNow: Timestamp
    /// From 0 to 1.
    var dice = 1.0

    /// What its gate has to do once an event is dealt with.
    enum Duty {
        /// See that those who wait are called when the next try is due; at once if it is already.
        case arm
        /// Call them: something may pass that could not before.
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

    /// The daemon was started, or the destination set up anew while it runs.
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

    /// There is no network, and nothing has shown that this destination does without.
    var isCutOff: Bool { !isOnline && provenSpell != spell }

    /// Whether a request that began in such a spell failed because the network came or went, which says nothing about
    /// the server, and nothing about the network as it is now.
    func isOutdated(_ failure: DeliveryFailure, since spell: Int) -> Bool {
        failure.isOfNetwork && isOnline && spell != self.spell
    }

    /// Whether a failure costs an entry one of its tries: not for what is no fault of anybody's but the network's.
    func counts(_ failure: DeliveryFailure, since spell: Int, asProbe isProbe: Bool) -> Bool {
        switch failure.kind {
        case .server: true
        case .network: isOnline && spell == self.spell && !isProbe
        case .local, .unreachable, .throttled, .quota, .refused, .unauthorized, .tooLarge, .unsendable, .dropped: false
        }
    }

    mutating func succeeded() {
        provenSpell = spell
        guard breaker.state != .closed || breaker.lastFailure != nil else { return }
        if breaker.state == .halfOpen { duties.append(.tell("works again")) }
        breaker.succeed()
        changed()
    }

    mutating func failed(_ failure: DeliveryFailure) {
        var failure = failure
        // No two answers may be alike in them, and the log and the store of breakers are no place for them.
        failure.words = nil
        if breaker.lastFailure != failure { duties.append(.warn(failure.reason)) }
        breaker.fail(failure, policy: policy, now: now, dice: dice)
        changed(mayOpen: false)
    }

    /// The probe was not sent after all; nothing when it was, and its outcome is known.
    mutating func abandonProbe() {
        guard breaker.state == .halfOpen else { return }
        breaker.abandonProbe(at: now)
        changed()
    }

    /// Tries now what would be tried later by itself.
    mutating func hurry() {
        breaker.hurry(at: now)
        changed()
    }

    mutating func resume() {
        breaker.resume()
        changed()
    }

    /// The store has taken the breaker as it was then.
    mutating func stored(_ breaker: Breaker) {
        if self.breaker == breaker { isDirty = false }
    }

    /// Those who wait are called when the next try is due; at once if it is already.
    mutating func arm() { duties.append(.arm) }

    private mutating func changed(mayOpen: Bool = true) {
        isDirty = true
        arm()
        if mayOpen, breaker.state != .halfOpen, breaker.state != .suspended { duties.append(.open) }
    }
}
