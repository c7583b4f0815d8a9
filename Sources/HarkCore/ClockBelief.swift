package import HarkWire

/// Whether the machine's clock can be trusted when ages are measured by it. Pure: readings are passed in.
///
/// A clock that jumps a year ahead (a dead battery, a typing error, a virtual machine that slept) would make everything
/// old at once, and data removed for its age never comes back. So a step ahead is believed at once only if it is small,
/// as after a weekend with the machine off. After a larger step, ages follow the time believed before, which runs on
/// until the clock is synchronised over the network, has held for a day of running, or a caller vouches for it.
package struct ClockBelief: Sendable, Equatable {
    /// A reading of the machine's clocks at one moment.
    package struct Reading: Sendable, Equatable {
        /// Real time.
        package var wall: Timestamp
        /// Milliseconds since the machine booted, time in suspend included; never jumps.
        package var running: Int64
        /// Identifies the boot of the machine.
        package var boot: String
        /// Whether a time server disciplines the kernel's clock.
        package var isSynchronized: Bool

        package init(wall: Timestamp, running: Int64, boot: String, isSynchronized: Bool) {
            self.wall = wall
            self.running = running
            self.boot = boot
            self.isSynchronized = isSynchronized
        }
    }

    /// The total of steps ahead that are believed at once, until the clock has held for a day; in milliseconds.
    package static let believedStepMilliseconds: Int64 = 3 * 86_400_000
    /// How long a clock must hold while the machine runs, in milliseconds.
    package static let holdMilliseconds: Int64 = 86_400_000
    /// The longest step that counts as a normal clock correction, in milliseconds.
    private static let correctionMilliseconds: Int64 = 60_000

    private var last: Reading
    /// How far the believed time lies behind the clock, in milliseconds; 0 while the clock is believed.
    package private(set) var behind: Int64
    /// How long the machine has run since the last step, in milliseconds.
    private var held: Int64 = 0
    /// The steps ahead believed since the clock last held for a day, in milliseconds.
    private var stepped: Int64 = 0

    /// - Parameter newest: when the newest stored data was stored, as far as known; nothing else shows the time before.
    ///   Nil if nothing is stored, so that nothing can be lost.
    package init(_ reading: Reading, newest: Timestamp?) {
        last = reading
        let gap = newest.map { reading.wall.milliseconds - $0.milliseconds } ?? 0
        behind = gap > ClockBelief.believedStepMilliseconds && !reading.isSynchronized ? gap : 0
    }

    package var isBelieved: Bool { behind == 0 }

    /// The time by which ages are measured.
    package func believedTime(_ wall: Timestamp) -> Timestamp { wall.adding(milliseconds: -behind) }

    /// How long the clock must still hold until it is believed, in milliseconds; 0 when it is believed.
    package var millisecondsToHold: Int64 { isBelieved ? 0 : max(0, ClockBelief.holdMilliseconds - held) }

    /// Takes in a reading of the clocks.
    package mutating func look(_ reading: Reading) {
        // After a boot the time spent off is unknown, so it counts as a step.
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
            // The believed time stays where it was. A corrected clock meets it again, within the accuracy of clocks set
            // by hand.
            behind += step
            if behind <= ClockBelief.correctionMilliseconds { behind = 0 }
        }
    }

    /// Marks the clock as right: a time server, a caller or a day of holding says so.
    package mutating func vouch() {
        behind = 0
        stepped = 0
    }

    // MARK: In the store

    /// The state as a text, to keep over restarts.
    package var packed: String {
        let numbers = [last.wall.milliseconds, last.running, behind, held, stepped]
        return numbers.map(String.init).joined(separator: " ") + " " + last.boot
    }

    /// Restores the state of an earlier run; nil if the text cannot be read.
    package init?(packed: String) {
        let fields = packed.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
        let numbers = fields.prefix(5).compactMap { Int64($0) }
        // Numbers from a damaged store must not overflow later arithmetic.
        guard fields.count == 6, numbers.count == 5, numbers.allSatisfy({ (0...1 << 52).contains($0) }) else {
            return nil
        }
        last = Reading(
            wall: Timestamp(milliseconds: numbers[0]), running: numbers[1], boot: String(fields[5]),
            isSynchronized: false)
        (behind, held, stepped) = (numbers[2], min(numbers[3], ClockBelief.holdMilliseconds), numbers[4])
    }
}
