package import HarkWire

/// The time by which watches are judged. Pure: readings are handed in.
///
/// While the daemon runs, it is the time the machine has run: whoever sets the clock makes nothing late. Between two runs
/// nothing else tells how long it was than the clock, as far as that is believed (`ClockBelief`): so at a start it is the time
/// that is believed, and where the clock is set meanwhile, what was counted from is shifted along.
package struct WatchTime: Sendable, Equatable {
    /// By how much it is ahead of the running time, in milliseconds.
    private var offset: Int64
    /// When the run of the daemon began.
    package private(set) var start: Timestamp
    /// What the clock said at the start beyond what was believed: if that turns out to be right, the time between was off.
    private var doubted: Int64

    /// By how much what is counted from is moved, in milliseconds.
    package struct Shift: Sendable, Equatable {
        /// Of what came in this run.
        package let recent: Int64
        /// Of what came before it.
        package let earlier: Int64
        /// When the run began, before the shift.
        package let start: Timestamp

        package func callAsFunction(_ since: Timestamp) -> Timestamp {
            since.adding(milliseconds: since < start ? earlier : recent)
        }
    }

    /// So small a difference is how clocks are kept right, and left.
    private static let toleratedMilliseconds: Int64 = 60_000

    /// - Parameters:
    ///   - believed: the time that is believed.
    ///   - running: how long the machine has run, in milliseconds.
    ///   - lag: by how much the time that is believed lies behind the clock, in milliseconds.
    package init(believed: Timestamp, running: Int64, lag: Int64) {
        offset = believed.milliseconds - running
        start = believed
        doubted = lag
    }

    package func now(_ running: Int64) -> Timestamp { Timestamp(milliseconds: running).adding(milliseconds: offset) }

    /// How long it is until then, in milliseconds; at least 0.
    package func wait(until time: Timestamp, _ running: Int64) -> Int64 {
        max(0, time.milliseconds - now(running).milliseconds)
    }

    /// Takes a look at the clocks.
    ///
    /// - Returns: how what is counted from is to be moved, where the clock was set.
    package mutating func look(believed: Timestamp, running: Int64, lag: Int64) -> Shift? {
        let drift = believed.milliseconds - now(running).milliseconds
        var off: Int64 = 0
        if lag == 0 {
            // What was doubted at the start is believed now: so long the machine was off.
            off = min(doubted, max(0, drift))
            doubted = 0
        }
        guard abs(drift) > WatchTime.toleratedMilliseconds else { return nil }
        let shift = Shift(recent: drift, earlier: drift - off, start: start)
        offset += drift
        start = start.adding(milliseconds: drift)
        return shift
    }
}
