/// When a counter is reset to its initial value.
package enum CounterLifetime: Int, Sendable, CaseIterable {
    /// When its app goes to the background, or the app's session ends.
    case instance = 0
    /// When the run of the daemon ends, or that of its app.
    case session = 1
    /// Never; the counter is kept until it is cleared.
    case app = 2

    package var word: String {
        switch self {
        case .instance: "instance"
        case .session: "session"
        case .app: "app"
        }
    }

    package init?(word: String) {
        guard let lifetime = CounterLifetime.allCases.first(where: { $0.word == word }) else { return nil }
        self = lifetime
    }
}

extension MemberType<CounterLifetime> {
    package static var lifetime: MemberType { word(of: CounterLifetime.allCases.map { ($0.word, $0) }) }
}

/// The object whose end also ends the run of a counter.
package enum CounterRun: String, Sendable, CaseIterable {
    case daemon, connection, process
}

/// The cause of a counter's change.
package enum CounterCause: String, Sendable, CaseIterable {
    case register, trigger, set, reset
}

/// The types in which a counter can be read.
package enum CounterType: String, Sendable, CaseIterable {
    case integer, double, bool, string, array, dictionary, any

    /// Returns the value as this type; nil if it has another. A whole number is an integer however it is written, and
    /// every number is a double.
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
