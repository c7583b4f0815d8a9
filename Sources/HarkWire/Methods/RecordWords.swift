/// What a record tells of.
package enum RecordWord: String, Sendable, CaseIterable {
    case event
    case sessionStarted = "session.started"
    case sessionEnded = "session.ended"
    case log, form, profile
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
