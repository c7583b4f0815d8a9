/// The kind of a record.
package enum RecordWord: String, Sendable, CaseIterable {
    case event
    case sessionStarted = "session.started"
    case sessionEnded = "session.ended"
    case log, form, profile
    /// Sent only to the hub of a fleet.
    case presentation, clear
}

/// The severity of a log line.
package enum LogLevel: String, Sendable, CaseIterable {
    case info, warning, error
    /// Messages shown to users, or written by them.
    case messages

    /// The rank for filters by minimum severity; messages rank as information.
    package var gravity: Int {
        switch self {
        case .info, .messages: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// The form of records in lists.
package enum RecordForm: String, Sendable, CaseIterable {
    case objects
    /// Each as a string that holds one line of JSON.
    case lines
}

/// The members of an event that a list can be limited to; `seq` is always included.
package struct EventMembers: OptionSet, Sendable {
    package let rawValue: UInt8

    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Called for each member of each written event, where the generic option set would be too slow.
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

    /// Nil if events have no member of that name.
    package init?(named name: String) {
        guard let found = Self.byName.first(where: { $0.key == name }) else { return nil }
        self = found.value
    }

    static let names = byName.map(\.key)
}

/// The contents of `event.subscribe`.
package enum StreamContent: String, Sendable, CaseIterable {
    case events, sessions
}

/// Limits that parameters state in their descriptions.
package enum ParameterLimits {
    package static let producerIdBytes = 128
    /// Of times by which a span is cut into buckets or waves.
    package static let boundaries = 1_001
    /// The limit of a message, in characters as a person sees them.
    package static let messageCharacters = 5_000
}
