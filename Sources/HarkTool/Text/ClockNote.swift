import HarkClient
import HarkWire

/// A note for a machine clock that is not believed.
enum ClockNote {
    /// Returns the note; nil while the clock is believed.
    static func text(_ reply: JSONText) -> String? {
        guard let time = reply.member("believedTime")?.string else { return nil }
        let text = Timestamp(time).map { LocalTime.secondText($0) } ?? VisibleText.make(time)
        return "has jumped ahead and is not believed yet; what is too old, and when surveys are due, goes by \(text)"
    }
}
