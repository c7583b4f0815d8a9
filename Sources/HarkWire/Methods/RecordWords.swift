/// What a record tells of.
package enum RecordWord: String, Sendable, CaseIterable {
    case event
    case sessionStarted = "session.started"
    case sessionEnded = "session.ended"
    case log, form, profile
    /// What only the hub of a fleet is sent.
    case presentation, clear
}

/// How grave a line of log is.
package enum LogLevel: String, Sendable, CaseIterable {
    case info, warning, error
    /// What users were told, or wrote.
    case messages

    /// For "this grave at least": messages count as information.
    package var gravity: Int {
        switch self {
        case .info, .messages: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// How lists of records give each.
package enum RecordForm: String, Sendable, CaseIterable {
    case objects
    /// As the text of one line of JSON.
    case lines
}

/// Members of an event that lists can be asked for alone; its number is always there.
package struct EventMembers: OptionSet, Sendable {
    package let rawValue: UInt8

    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Asked for each member of each event that is written, where the way of all option sets would show.
    @inlinable package func contains(_ member: EventMembers) -> Bool { rawValue & member.rawValue == member.rawValue }

    @inlinable package static var id: EventMembers { EventMembers(rawValue: 1) }
    @inlinable package static var name: EventMembers { EventMembers(rawValue: 2) }
    @inlinable package static var timestamp: EventMembers { EventMembers(rawValue: 4) }
    @inlinable package static var sessionId: EventMembers { EventMembers(rawValue: 8) }
    @inlinable package static var userId: EventMembers { EventMembers(rawValue: 16) }
    @inlinable package static var properties: EventMembers { EventMembers(rawValue: 32) }
    @inlinable package static var source: EventMembers { EventMembers(rawValue: 64) }
    /// Only events that a hub has from machines have it.
    @inlinable package static var origin: EventMembers { EventMembers(rawValue: 128) }
    @inlinable package static var all: EventMembers { EventMembers(rawValue: 255) }

    private static let byName: KeyValuePairs<String, EventMembers> = [
        "id": .id, "seq": [], "name": .name, "timestamp": .timestamp, "sessionId": .sessionId, "userId": .userId,
        "properties": .properties, "source": .source, "origin": .origin,
    ]

    /// Nil where that is no member of events.
    package init?(named name: String) {
        guard let found = Self.byName.first(where: { $0.key == name }) else { return nil }
        self = found.value
    }

    static let names = byName.map(\.key)
}

/// What `event.subscribe` tells of.
package enum StreamContent: String, Sendable, CaseIterable {
    case events, sessions
}

/// Bounds that parameters tell of themselves.
package enum ParameterLimits {
    package static let producerIdBytes = 128
    /// Characters are those a person sees.
    package static let messageCharacters = 5_000
}
