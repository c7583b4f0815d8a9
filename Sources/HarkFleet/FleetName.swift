/// The rules for names in topics: fleets, machines and groups.
///
/// Names have 1 to 64 letters, digits, `-` and `_`, because other characters are special for brokers (`/`, `+`, `#` in
/// MQTT, `.`, `*` and `>` in NATS, which maps topics to its subjects).
package enum FleetName {
    package static let longest = 64
    package static let words = "1 to 64 letters, digits, '-' or '_'"

    package static func isValid(_ name: some StringProtocol) -> Bool {
        (1...longest).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
