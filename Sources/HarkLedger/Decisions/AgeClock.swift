package import HarkCore
package import HarkSystem
package import HarkWire

/// The clock by which ages are measured: the machine's clock, while it can be believed (`ClockBelief`).
@DaemonActor
package final class AgeClock {
    package typealias Reading = ClockBelief.Reading

    /// The key of `packed` in the store.
    package static let remembered = "clock"

    /// Called when the clock stops or starts being believed, and when it has jumped again.
    package var onChange: () -> Void = {}
    private var belief: ClockBelief
    private let read: @Sendable () -> Reading

    /// - Parameters:
    ///   - remembered: `packed` of an earlier run.
    ///   - newest: When the newest thing in the store was stored; used if nothing is remembered.
    package init(remembered: String?, newest: Timestamp?, read: @escaping @Sendable () -> Reading) {
        self.read = read
        let reading = read()
        belief = remembered.flatMap(ClockBelief.init(packed:)) ?? ClockBelief(reading, newest: newest)
        belief.look(reading)
        if !belief.isBelieved { tell() }
    }

    package var now: Timestamp {
        let wall = look()
        return belief.believedTime(wall)
    }

    /// The believed time, while it differs from the machine's clock; else nil.
    package var differingTime: Timestamp? {
        let wall = look()
        return belief.isBelieved ? nil : belief.believedTime(wall)
    }

    /// How far the believed time was behind the machine's clock at the last reading, in milliseconds.
    package var lag: Int64 { belief.behind }

    /// How long the machine has been running, in milliseconds.
    package var running: Int64 { read().running }

    /// One reading of the clocks: the believed time, how long the machine has been running, and how far the believed
    /// time is behind the machine's clock.
    package var readings: (believed: Timestamp, running: Int64, lag: Int64) {
        let reading = read()
        change { $0.look(reading) }
        return (belief.believedTime(reading.wall), reading.running, belief.behind)
    }

    /// How much longer the machine's clock must hold before it is believed; 0 while it is believed.
    package var millisecondsToHold: Int64 { belief.millisecondsToHold }

    /// The belief as text, to keep in the store.
    package var packed: String {
        _ = look()
        return belief.packed
    }

    /// Believes the clock at once, because an administrator says that it is right.
    package func vouch() {
        _ = look()
        change { $0.vouch() }
    }

    private func look() -> Timestamp {
        let reading = read()
        change { $0.look(reading) }
        return reading.wall
    }

    private func change(_ body: (inout ClockBelief) -> Void) {
        let before = belief.behind
        body(&belief)
        guard belief.behind != before else { return }
        if belief.isBelieved || before == 0 { tell() }
        onChange()
    }

    private func tell() {
        if belief.isBelieved {
            Log.notice("the clock is trusted again: ages, and the times of surveys, go by it")
        } else {
            // Rounded: the clocks are read one after the other, so a year may be a millisecond short.
            let days = (belief.behind + 43_200_000) / 86_400_000
            Log.warning(
                """
                the clock has jumped \(days) days ahead and is not trusted yet: ages, and the times of surveys, go by the \
                earlier time until a time server keeps the clock, it has held for a day of running, or 'hark retention apply \
                --trust-clock' confirms it
                """)
        }
    }
}
