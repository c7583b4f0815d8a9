package import HarkWire

/// A line for a server's log, as it is kept in a record until delivery.
///
/// The record's name is the level. Its properties begin with the message and the user id, even if the metadata
/// after them uses the same keys.
package struct LogEntry: Sendable, Equatable {
    package typealias Level = LogLevel

    /// The longest message, in characters as a person sees them. A longer one is cut to end in `...`, which counts.
    package static let maxMessageCharacters = 5_000
    private static let cutMark = "..."

    package let level: Level
    package let message: String
    /// The user that the entry is about, as sent to the server.
    package let userId: String
    package let metadata: Properties

    package init(_ message: String, level: Level = .info, userId: String, metadata: Properties = .none) {
        self.message = LogEntry.cut(message) ?? message
        self.level = level
        self.userId = userId
        self.metadata = metadata
    }

    /// The message cut to the longest length; nil when it need not be cut.
    package static func cut(_ message: String) -> String? {
        guard message.utf8.count > maxMessageCharacters else { return nil }
        let end = message.index(message.startIndex, offsetBy: maxMessageCharacters, limitedBy: message.endIndex)
        guard let end, end < message.endIndex else { return nil }
        return message.prefix(maxMessageCharacters - cutMark.count) + cutMark
    }

    /// Reads an entry from a record; nil for a record of another kind.
    package init?(_ record: Record) {
        guard record.kind == .log, let level = Level(rawValue: record.name) else { return nil }
        let members = record.properties.members
        guard members.count >= 2, case .string(let message) = members[0].value,
            case .string(let userId) = members[1].value
        else { return nil }
        self.level = level
        self.message = message
        self.userId = userId
        metadata = Properties(members.dropFirst(2).map { ($0.key, $0.value) })
    }

    /// Whether a record with this name and these properties can be read back as an entry.
    static func isOne(named name: String, _ properties: Properties) -> Bool {
        guard Level(rawValue: name) != nil else { return false }
        var (place, isOne) = (0, true)
        properties.forEachMember { member in
            if place < 2, case .string = member.value {} else if place < 2 { isOne = false }
            place += 1
        }
        return isOne && place >= 2
    }

    var properties: Properties {
        var packed = Properties([("message", .string(message)), ("userId", .string(userId))])
        packed.append(metadata)
        return packed
    }
}
