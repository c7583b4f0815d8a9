import Glibc
package import HarkCore
import HarkSystem
import HarkWire
import Synchronization

extension ShowingClock {
    /// This machine's clocks, and its time zone as it is set at the moment.
    package static var machine: ShowingClock {
        var clock = ShowingClock()
        let asleep: @Sendable () -> Int64 = {
            let awake = SystemClock.monotonicMicroseconds
            return Int64(SystemClock.boottimeMicroseconds / 1_000) - Int64(awake / 1_000)
        }
        clock.awake = { Int64(SystemClock.monotonicMicroseconds / 1_000) }
        clock.asleep = asleep
        clock.zone = { LocalDay.zoneName }
        clock.offset = { LocalDay.offset(atMilliseconds: $0.milliseconds) / 60_000 }
        clock.namedZone = { ZoneFolder.zone($0) }
        let (started, asleepBefore) = (SystemClock.realtimeMilliseconds, asleep())
        clock.absence = { time, now in
            if time.milliseconds < started { return .off }
            // If the machine slept less than that, the clock was set.
            let late = now.milliseconds - time.milliseconds
            return late <= asleep() - asleepBefore + Engine.mostPunctuality ? .asleep : .clock
        }
        return clock
    }
}

/// The time zones of this machine's tzdata, each read once.
enum ZoneFolder {
    private static let known = Mutex<[String: LocalZone]>([:])
    private static let mostBytes = 1 << 20
    /// The most zones to keep; tzdata has fewer names.
    private static let mostKnown = 1_000

    /// - Returns: nil if there is no zone of that name.
    static func zone(_ name: String) -> LocalZone? {
        if let zone = known.withLock({ $0[name] }) { return zone }
        guard SamplingSchedule.isZoneName(name),
            let bytes = try? FileDescriptor.contents(of: "\(folder)/\(name)", limit: mostBytes),
            let file = ZoneFile(bytes)
        else { return nil }
        let zone = LocalZone(file)
        known.withLock { if $0.count < mostKnown { $0[name] = zone } }
        return zone
    }

    private static var folder: String { getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo" }
}
