package import HarkWire

/// A line for a server's log, as it is kept in a record until it is delivered.
///
/// The record's name is the level. Its properties begin with the message and the user id, whatever keys the metadata
/// after them has.
package struct LogEntry: Sendable, Equatable {
    package typealias Level = LogLevel

    /// Longer messages are cut, and end in `...` then, which counts; characters are those a person sees.
    package static let maxMessageCharacters = ParameterLimits.messageCharacters
    private static let cutMark = "..."

    package let level: Level
    package let message: String
    /// Whom the entry is about, as the server is told.
    package let userId: String
    package let metadata: Properties

    package init(_ message: String, level: Level = .info, userId: String, metadata: Properties = .none) {
        self.message = LogEntry.cut(message) ?? message
        self.level = level
        self.userId = userId
        self.metadata = metadata
    }

    /// The message cut to what may be kept; nil when it may be kept whole.
    package static func cut(_ message: String) -> String? {
        guard message.utf8.count > maxMessageCharacters else { return nil }
        let end = message.index(message.startIndex, offsetBy: maxMessageCharacters, limitedBy: message.endIndex)
        guard let end, end < message.endIndex else { return nil }
        return message.prefix(maxMessageCharacters - cutMark.count) + cutMark
    }

    /// Reads the entry back; nil for a record of another kind.
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

    /// Whether a record of this name and with these properties is an entry that can be read back.
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
