package import HarkWire

/// Whether the machine's clock can be believed when it says that something is old. Pure: readings are handed in.
///
/// A clock that jumps a year ahead (a dead battery, a typing error, a virtual machine that was asleep) would make everything
/// old at once, and what is removed for its age never comes back. So a step ahead is believed at once only if it is small, as
/// of a machine that was off over a weekend. After a larger one, ages are told by the time that was believed before, which runs
/// on, until the clock is synchronised over the network, has held for a day of running, or somebody vouches for it.
package struct ClockBelief: Sendable, Equatable {
    /// What the machine's clocks read at one moment.
    package struct Reading: Sendable, Equatable {
        /// Real time.
        package var wall: Timestamp
        /// Milliseconds since the machine was started; goes on while it is suspended, and never jumps.
        package var running: Int64
        /// Tells the starts of the machine apart.
        package var boot: String
        /// The kernel's clock is disciplined by a time server.
        package var isSynchronized: Bool

        package init(wall: Timestamp, running: Int64, boot: String, isSynchronized: Bool) {
            self.wall = wall
            self.running = running
            self.boot = boot
            self.isSynchronized = isSynchronized
        }
    }

    /// Steps ahead that are believed at once, in sum until the clock has held for a day.
    package static let believedStepMilliseconds: Int64 = 3 * 86_400_000
    /// How long a clock has to hold, while the machine runs.
    package static let holdMilliseconds: Int64 = 86_400_000
    /// A step up to this long is how clocks are kept right, and no sign that one is wrong.
    private static let correctionMilliseconds: Int64 = 60_000

    private var last: Reading
    /// By how much the believed time lies behind the clock; 0 while the clock is believed.
    package private(set) var behind: Int64
    /// How long the machine has run since the last step.
    private var held: Int64 = 0
    /// The steps ahead that were believed since the clock has held for a day.
    private var stepped: Int64 = 0

    /// - Parameter newest: When the newest thing that is stored was stored, as far as that is known: nothing else tells what the
    ///   time was before. Nil where nothing is stored, and so nothing can be lost.
    package init(_ reading: Reading, newest: Timestamp?) {
        last = reading
        let gap = newest.map { reading.wall.milliseconds - $0.milliseconds } ?? 0
        behind = gap > ClockBelief.believedStepMilliseconds && !reading.isSynchronized ? gap : 0
    }

    package var isBelieved: Bool { behind == 0 }

    /// The time by which ages are told.
    package func believedTime(_ wall: Timestamp) -> Timestamp { wall.adding(milliseconds: -behind) }

    /// How much longer the clock has to hold until it is believed; 0 when it is.
    package var millisecondsToHold: Int64 { isBelieved ? 0 : max(0, ClockBelief.holdMilliseconds - held) }

    /// Takes a look at the clocks.
    package mutating func look(_ reading: Reading) {
        // After a start of the machine nobody knows for how long it was off: that counts as a step.
        let ran = max(0, reading.boot == last.boot ? reading.running - last.running : reading.running)
        let step = (reading.wall.milliseconds - last.wall.milliseconds) - ran
        let isJump = step > ClockBelief.believedStepMilliseconds
        last = reading
        held = isJump ? 0 : min(held + ran, ClockBelief.holdMilliseconds)
        if reading.isSynchronized { return vouch() }
        if held == ClockBelief.holdMilliseconds { vouch() }
        if isBelieved {
            stepped = max(0, stepped + step)
            if step > ClockBelief.correctionMilliseconds { held = 0 }
            if stepped > ClockBelief.believedStepMilliseconds {
                behind = step
                stepped = 0
                held = 0
            }
        } else {
            // The believed time stays where it was. A clock that is put right again arrives there, or as near as clocks are read
            // together and set by hand.
            behind += step
            if behind <= ClockBelief.correctionMilliseconds { behind = 0 }
        }
    }

    /// The clock is right: so says a time server, somebody who knows, or a day in which it held.
    package mutating func vouch() {
        behind = 0
        stepped = 0
    }

    // MARK: In the store

    /// As a text, to be remembered over restarts.
    package var packed: String {
        let numbers = [last.wall.milliseconds, last.running, behind, held, stepped]
        return numbers.map(String.init).joined(separator: " ") + " " + last.boot
    }

    /// What an earlier run remembered; nil if it cannot be read.
    package init?(packed: String) {
        let fields = packed.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
        let numbers = fields.prefix(5).compactMap { Int64($0) }
        // Numbers of a damaged store must not overflow what is reckoned with them.
        guard fields.count == 6, numbers.count == 5, numbers.allSatisfy({ (0...1 << 52).contains($0) }) else {
            return nil
        }
        last = Reading(
            wall: Timestamp(milliseconds: numbers[0]), running: numbers[1], boot: String(fields[5]),
            isSynchronized: false)
        (behind, held, stepped) = (numbers[2], min(numbers[3], ClockBelief.holdMilliseconds), numbers[4])
    }
}
