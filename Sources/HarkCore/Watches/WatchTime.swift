package import HarkWire

/// The time by which watches fall due. Pure: readings are passed in.
///
/// While the daemon runs, this is the time the machine has run, so setting the clock makes nothing late. Between two
/// runs only the clock tells how much time has passed, as far as it is believed (`ClockBelief`). So at start it is the
/// believed time, and when the clock is set later, the starts of intervals are shifted along.
package struct WatchTime: Sendable, Equatable {
    /// The difference to the running time, in milliseconds.
    private var offset: Int64
    /// The start of this run of the daemon.
    package private(set) var start: Timestamp
    /// The difference between clock and believed time at start, in milliseconds: if the clock turns out to be right,
    /// the machine was off that long.
    private var doubted: Int64

    /// A shift of the starts of intervals, in milliseconds.
    package struct Shift: Sendable, Equatable {
        /// For intervals that began in this run.
        package let recent: Int64
        /// For intervals that began earlier.
        package let earlier: Int64
        /// The start of the run, before the shift.
        package let start: Timestamp

        package func callAsFunction(_ since: Timestamp) -> Timestamp {
            since.adding(milliseconds: since < start ? earlier : recent)
        }
    }

    /// The largest difference that counts as a normal clock correction and is ignored, in milliseconds.
    private static let toleratedMilliseconds: Int64 = 60_000

    /// - Parameters:
    ///   - believed: the believed time.
    ///   - running: how long the machine has run, in milliseconds.
    ///   - lag: how far the believed time lies behind the clock, in milliseconds.
    package init(believed: Timestamp, running: Int64, lag: Int64) {
        offset = believed.milliseconds - running
        start = believed
        doubted = lag
    }

    package func now(_ running: Int64) -> Timestamp { Timestamp(milliseconds: running).adding(milliseconds: offset) }

    /// The wait until a time, in milliseconds; at least 0.
    package func wait(until time: Timestamp, _ running: Int64) -> Int64 {
        max(0, time.milliseconds - now(running).milliseconds)
    }

    /// Takes in a reading of the clocks.
    ///
    /// - Returns: the shift to apply to the starts of intervals, if the clock was set.
    package mutating func look(believed: Timestamp, running: Int64, lag: Int64) -> Shift? {
        let drift = believed.milliseconds - now(running).milliseconds
        var off: Int64 = 0
        if lag == 0 {
            // The clock doubted at start is believed now, so the machine was off that long.
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
