import HarkClient
import HarkWire

/// Converts the daemon's times to local time. Successive times within a second take one look-up in the time zone.
struct LocalClock {
    /// The last time without its fraction, as the daemon writes it and as it is shown.
    private var second: (given: [UInt8], shown: [UInt8]) = ([], [])

    /// The length of `2026-11-21T11:08:00.123Z` before the fraction.
    private static let secondLength = 19

    /// Appends a time as `LocalTime.text(iso:)` formats it.
    mutating func append(_ time: JSONText?, to line: inout [UInt8]) {
        guard let time, time.isString else { return }
        let text = time.bytes.dropFirst().dropLast()
        let fraction = text.dropFirst(Self.secondLength)
        let isUsual =
            fraction.count == 5 && fraction.first == UInt8(ascii: ".") && fraction.last == UInt8(ascii: "Z")
            && fraction.dropFirst().dropLast().allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        guard isUsual else {
            line += LocalTime.text(iso: time.string ?? "").utf8
            return
        }
        let given = text.prefix(Self.secondLength)
        if !given.elementsEqual(second.given) {
            guard let parsed = Timestamp(String(decoding: text, as: UTF8.self)) else {
                line += LocalTime.text(iso: time.string ?? "").utf8
                return
            }
            second = (Array(given), Array(LocalTime.secondText(parsed).utf8))
        }
        line += second.shown
        line += fraction.dropLast()
    }
}
