/// When a counter goes back to its initial value by itself.
package enum CounterLifetime: Int, Sendable, CaseIterable {
    /// When its app is in the background, or the app's session ends.
    case instance = 0
    /// When the run of the daemon ends, or that of its app.
    case session = 1
    /// Never; it is kept until it is cleared.
    case app = 2

    package var word: String {
        switch self {
        case .instance: "instance"
        case .session: "session"
        case .app: "app"
        }
    }
}

extension MemberType<CounterLifetime> {
    package static var lifetime: MemberType { word(of: CounterLifetime.allCases.map { ($0.word, $0) }) }
}

/// Whose end ends the run of a counter.
package enum CounterRun: String, Sendable, CaseIterable {
    case daemon, connection, process
}

/// What changed a counter.
package enum CounterCause: String, Sendable, CaseIterable {
    case register, trigger, set, reset
}

/// The types a counter can be read as.
package enum CounterType: String, Sendable, CaseIterable {
    case integer, double, bool, string, array, dictionary, any

    /// The value as this type; nil when it is of another. A number that is whole is an integer however it was written,
    /// and every number is a double.
    package func read(_ value: JSONValue) -> JSONValue? {
        switch self {
        case .integer: value.exactInteger.map(JSONValue.int)
        case .double: value.doubleValue.map(JSONValue.double)
        case .bool: value.boolValue.map(JSONValue.bool)
        case .string: value.stringValue.map(JSONValue.string)
        case .array: value.arrayValue.map(JSONValue.array)
        case .dictionary: value.objectValue.map(JSONValue.object)
        case .any: value
        }
    }
}
