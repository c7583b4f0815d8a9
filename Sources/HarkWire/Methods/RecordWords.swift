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

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let id = EventMembers(rawValue: 1)
    package static let name = EventMembers(rawValue: 2)
    package static let timestamp = EventMembers(rawValue: 4)
    package static let sessionId = EventMembers(rawValue: 8)
    package static let userId = EventMembers(rawValue: 16)
    package static let properties = EventMembers(rawValue: 32)
    package static let source = EventMembers(rawValue: 64)
    /// Only events that a hub has from machines have it.
    package static let origin = EventMembers(rawValue: 128)
    package static let all = EventMembers(rawValue: 255)

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
