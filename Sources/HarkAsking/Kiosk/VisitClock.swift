/// When a kiosk's visitor has gone, and when the next one may come. It has no timer: it is told what happens, and asked.
package struct VisitClock: Sendable {
    /// So many seconds before it starts over that is said.
    package static let countdown = 10.0

    private let idleReset: Double
    private let minGap: Double
    private var touchedAt = 0.0
    private var closedUntil = 0.0
    private var isAnswered = false
    /// How many presses did not count, as somebody had answered just before.
    private var ignored = 0

    /// How long the screen rests at least, so that it is seen that something is over.
    private static let shortestRest = 1.0

    /// - Parameters:
    ///   - idleReset: after so many seconds without a touch the visitor has gone.
    ///   - minGap: so many seconds after an answer nobody else answers.
    package init(idleReset: Double, minGap: Double) {
        self.idleReset = idleReset
        self.minGap = minGap
    }

    /// Something is on the screen to be answered, or a language was chosen.
    package mutating func begin(at now: Double) {
        touchedAt = now
        isAnswered = false
    }

    /// The visitor is done.
    package mutating func answered(at now: Double) {
        isAnswered = true
        closedUntil = now + minGap
    }

    /// Somebody has touched the screen, or pressed a key.
    ///
    /// - Returns: false: it is not to count.
    package mutating func touch(at now: Double) -> Bool {
        touchedAt = now
        guard isAnswered, now < closedUntil else { return true }
        ignored += 1
        return false
    }

    /// Whether the visitor has gone.
    package func isOver(at now: Double) -> Bool { now - touchedAt >= idleReset }

    /// In how many seconds it starts over, where that is to be said by now.
    package func secondsLeft(at now: Double) -> Int? {
        let left = touchedAt + idleReset - now
        return left <= Self.countdown && left > 0 ? Int(left.rounded(.up)) : nil
    }

    /// After how many seconds it is to be looked at again: at the next second of the countdown, or when that begins.
    package func pause(at now: Double) -> Double {
        let left = touchedAt + idleReset - now
        guard left <= Self.countdown else { return left - Self.countdown }
        return max(left - (left.rounded(.up) - 1), 0.01)
    }

    /// For how many seconds the screen is to rest from now on.
    package func rest(at now: Double) -> Double {
        max(isAnswered ? closedUntil - now : 0, Self.shortestRest)
    }

    /// Tells how many presses did not count since it was last asked.
    package mutating func takeIgnored() -> Int {
        defer { ignored = 0 }
        return ignored
    }
}
