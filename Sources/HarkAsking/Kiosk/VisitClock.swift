/// Decides when a kiosk's visitor has left and when the next may answer. It has no timer of its own.
package struct VisitClock: Sendable {
    /// The length of the warning before a restart, in seconds.
    package static let countdown = 10.0

    private let idleReset: Double
    private let minGap: Double
    private let shortestRest: Double
    private var touchedAt = 0.0
    private var closedUntil = 0.0
    private var isAnswered = false
    /// The number of presses ignored shortly after an answer.
    private var ignored = 0

    /// - Parameters:
    ///   - idleReset: The seconds without a touch after which the visitor has left.
    ///   - minGap: The seconds after an answer in which no other is accepted.
    ///   - shortestRest: The minimum time that the screen rests, in seconds, so that the end of a survey is noticed.
    package init(idleReset: Double, minGap: Double, shortestRest: Double = 1) {
        self.shortestRest = shortestRest
        self.idleReset = idleReset
        self.minGap = minGap
    }

    /// Notes that a question is on the screen, or that a language was chosen.
    package mutating func begin(at now: Double) {
        touchedAt = now
        isAnswered = false
    }

    /// Notes that the visitor has answered.
    package mutating func answered(at now: Double) {
        isAnswered = true
        closedUntil = now + minGap
    }

    /// Notes a touch of the screen, or a key.
    ///
    /// - Returns: False if it must be ignored.
    package mutating func touch(at now: Double) -> Bool {
        touchedAt = now
        guard isAnswered, now < closedUntil else { return true }
        ignored += 1
        return false
    }

    /// Whether the visitor has left.
    package func isOver(at now: Double) -> Bool { now - touchedAt >= idleReset }

    /// Returns the seconds until the restart, during the warning.
    package func secondsLeft(at now: Double) -> Int? {
        let left = touchedAt + idleReset - now
        return left <= Self.countdown && left > 0 ? Int(left.rounded(.up)) : nil
    }

    /// Returns the seconds until the next check: the next second of the warning, or its start.
    package func pause(at now: Double) -> Double {
        let left = touchedAt + idleReset - now
        guard left <= Self.countdown else { return left - Self.countdown }
        return max(left - (left.rounded(.up) - 1), 0.01)
    }

    /// Returns the seconds for which the screen should rest.
    package func rest(at now: Double) -> Double {
        max(isAnswered ? closedUntil - now : 0, shortestRest)
    }

    /// Returns the number of ignored presses since the last call.
    package mutating func takeIgnored() -> Int {
        defer { ignored = 0 }
        return ignored
    }
}
