import HarkClient
import HarkWire

/// A note for a machine clock that is not believed.
enum ClockNote {
    /// Returns the note; nil while the clock is believed.
    static func text(_ believed: Timestamp?) -> String? {
        guard let text = believed.map({ LocalTime.secondText($0) }) else { return nil }
        return "has jumped ahead and is not trusted yet; ages, and the times of surveys, go by \(text)"
    }
}
