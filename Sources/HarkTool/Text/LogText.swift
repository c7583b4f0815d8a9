import HarkClient
import HarkWire

/// Log entries for a terminal: `error     2026-11-21 12:08:00.123  Payment failed  code=card_declined`, and further rows
/// below the time.
struct LogText {
    private let style: TextStyle
    private let plain = TextStyle(coloured: false)
    private let deviceId: @Sendable () -> String?
    /// The device's id, once an entry has a user that may be one: nil where it is not asked for, or not known.
    private var device: String??

    private static let levelWidth = 8
    /// The columns of a time and its gap.
    static let timeWidth = 25

    /// - Parameter deviceId: Returns the id that entries without a user have.
    init(_ style: TextStyle, deviceId: @escaping @Sendable () -> String? = LogText.askedDeviceId) {
        self.style = style
        self.deviceId = deviceId
    }

    /// - Parameter entry: The entry as JSON.
    mutating func rows(_ entry: JSONText, _ columns: Int) -> [String] {
        let entry = RecordMembers(entry)
        let level = entry.level?.string ?? ""
        let isError = level == LogLevel.error.rawValue
        // An error is red as a whole, so that it is found among many others.
        let inner = isError ? plain : style
        let shown = TextWidth.padded(VisibleText.make(level), Self.levelWidth) + "  "
        let time = LocalTime.text(iso: entry.timestamp?.string ?? "") + "  "
        var parts: [String] = []
        if let machine = entry.origin?.member("machine")?.string { parts.append(VisibleText.value(machine)) }
        if let user = user(entry) { parts.append(inner.name(user)) }
        parts.append(VisibleText.make(entry.message?.string ?? ""))
        let metadata = entry.details
        if metadata?.hasMembers == true { parts.append(EventText.properties(metadata, inner)) }
        let text = parts.joined(separator: "  ")
        let head = level == LogLevel.warning.rawValue ? style.warning(shown) : shown
        return WordWrap.hanging(
            isError ? style.bad(shown + time) : head + style.dim(time), isError ? style.bad(text) : text,
            indent: Self.levelWidth + 2, columns: columns)
    }

    /// The user of an entry, shortened if it is an id; nil for nobody, and for this device.
    private mutating func user(_ entry: RecordMembers) -> String? {
        guard let user = entry.user?.string else { return nil }
        guard Identifier(user) != nil else { return VisibleText.value(user) }
        let device = device ?? deviceId()
        self.device = .some(device)
        return user == device ? nil : user.prefix(8) + "…"
    }

    /// Asks the daemon. Nothing depends on the answer but whether an id is left out.
    @Sendable private static func askedDeviceId() -> String? {
        guard var connection = try? Connection() else { return nil }
        return try? connection.call(LogDevice()).value.deviceId.description
    }
}
