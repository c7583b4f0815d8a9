package import HarkCore
import HarkSystem
import HarkWire

extension ShowingClock {
    /// This machine's clocks, and its time zone as it is set at the moment.
    package static var machine: ShowingClock {
        var clock = ShowingClock()
        clock.awake = { Int64(SystemClock.monotonicMicroseconds / 1_000) }
        clock.asleep = {
            let awake = SystemClock.monotonicMicroseconds
            return Int64(SystemClock.boottimeMicroseconds / 1_000) - Int64(awake / 1_000)
        }
        clock.zone = { LocalDay.zoneName }
        clock.offset = { LocalDay.offset(atMilliseconds: $0.milliseconds) / 60_000 }
        return clock
    }
}
