import HarkClient
import HarkWire

/// Formats events for people: `2026-11-21 12:08:00.123  ada  backup.done  host=nas gigabytes=12.5`.
///
/// There may be hundreds of thousands of lines, so they are built as bytes, and only parts that are not plain ASCII as
/// strings.
struct EventText {
    /// The width of the name column; a longer name moves its own properties to the right.
    private static let widestName = 32
    private static let widestUser = 20

    private let style: TextStyle
    /// Whether there is a user column, which is left out if all events belong to one user.
    private let showsUser: Bool
    private var nameWidth = 12
    private var userWidth = 4
    /// 0 until an event of a machine is shown, as on a hub.
    private var machineWidth = 0
    private var clock = LocalClock()

    init(_ style: TextStyle, showsUser: Bool) {
        self.style = style
        self.showsUser = showsUser
    }

    /// Appends the line of an event without its line end. Columns widen for longer names and stay wide.
    mutating func append(_ event: JSONText, to line: inout [UInt8]) {
        let record = RecordMembers(event)
        appendHead(record, to: &line)
        style.begin(.name, in: &line)
        let width = record.name.map { VisibleBytes.append($0, to: &line) } ?? 0
        nameWidth = max(nameWidth, min(width, Self.widestName))
        let hasDetails = record.details?.hasMembers == true
        if hasDetails { EventText.pad(from: width, to: nameWidth, &line) }
        style.end(in: &line)
        if hasDetails { appendDetails(record.details, to: &line) }
    }

    /// Appends the line of a log entry: `2026-11-21 12:08:00.123  ada  error    Payment failed  code=card_declined`.
    mutating func append(entry: JSONText, to line: inout [UInt8]) {
        let record = RecordMembers(entry)
        appendHead(record, to: &line)
        let level = record.level?.string ?? ""
        let shown = TextWidth.padded(VisibleText.make(level), 8)
        line += (level == "error" ? style.bad(shown) : level == "warning" ? style.warning(shown) : shown).utf8
        line += EventText.gap
        _ = record.message.map { VisibleBytes.append($0, to: &line) }
        if record.details?.hasMembers == true { appendDetails(record.details, to: &line) }
    }

    /// Appends time and user, each with a gap.
    private mutating func appendHead(_ record: RecordMembers, to line: inout [UInt8]) {
        style.begin(.dim, in: &line)
        clock.append(record.timestamp, to: &line)
        style.end(in: &line)
        line += EventText.gap
        appendMachine(record, to: &line)
        guard showsUser else { return }
        var width = 1
        if let user = record.user, user.isString {
            width = VisibleBytes.append(value: user, to: &line)
        } else {
            line.append(UInt8(ascii: "-"))
        }
        userWidth = max(userWidth, min(width, Self.widestUser))
        EventText.pad(from: width, to: userWidth, &line)
        line += EventText.gap
    }

    /// Appends the machine, on a hub.
    private mutating func appendMachine(_ record: RecordMembers, to line: inout [UInt8]) {
        let machine = record.origin?.member("machine")
        guard machine != nil || machineWidth > 0 else { return }
        var width = 1
        if let machine {
            width = VisibleBytes.append(value: machine, to: &line)
        } else {
            line.append(UInt8(ascii: "-"))
        }
        machineWidth = max(machineWidth, min(width, Self.widestUser))
        EventText.pad(from: width, to: machineWidth, &line)
        line += EventText.gap
    }

    private static func pad(from width: Int, to wanted: Int, _ line: inout [UInt8]) {
        var width = width
        while width < wanted {
            line.append(0x20)
            width += 1
        }
    }

    private func appendDetails(_ object: JSONText?, to line: inout [UInt8]) {
        line += EventText.gap
        EventText.appendProperties(object, style, to: &line)
    }

    private static func appendProperties(_ object: JSONText?, _ style: TextStyle, to line: inout [UInt8]) {
        var isFirst = true
        object?.forEachMember { key, value in
            if !isFirst { line.append(0x20) }
            isFirst = false
            style.begin(.dim, in: &line)
            VisibleBytes.append(valueOf: key, to: &line)
            line.append(UInt8(ascii: "="))
            style.end(in: &line)
            if value.isString {
                // A text that looks like another JSON value stays in quotes.
                let content = value.bytes.dropFirst().dropLast()
                if ScalarText.isValid(content) || content.isEqual("null") {
                    line += value.bytes
                } else {
                    VisibleBytes.append(value: value, to: &line)
                }
            } else {
                VisibleBytes.append(plain: value, to: &line)
            }
            return true
        }
    }

    static func properties(_ object: JSONText?, _ style: TextStyle) -> String {
        var line: [UInt8] = []
        appendProperties(object, style, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    private static let gap = Array("  ".utf8)
}

/// The members of an event or entry that are shown.
struct RecordMembers {
    var timestamp: JSONText?
    var user: JSONText?
    var name: JSONText?
    var level: JSONText?
    var message: JSONText?
    /// The machine that recorded it.
    var origin: JSONText?
    /// Properties or metadata.
    var details: JSONText?

    init(_ record: JSONText) {
        record.forEachMember { key, value in
            if key.isEqual("name") {
                name = value
            } else if key.isEqual("timestamp") {
                timestamp = value
            } else if key.isEqual("userId") {
                user = value
            } else if key.isEqual("properties") || key.isEqual("metadata") {
                details = value
            } else if key.isEqual("level") {
                level = value
            } else if key.isEqual("message") {
                message = value
            } else if key.isEqual("origin") {
                origin = value
            }
            return true
        }
    }
}
