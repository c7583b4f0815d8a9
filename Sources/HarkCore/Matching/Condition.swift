package import HarkWire

/// Conditions on named values — the properties of an event, or counters — joined by all, any and not.
package indirect enum Condition: Sendable, Equatable {
    case value(String, Matcher)
    case all([Condition])
    case any([Condition])
    case not(Condition)

    /// Asks nothing.
    package static let always = Condition.all([])

    /// - Parameter value: looks a value up by its name; nil when there is none.
    package func holds(_ value: (String) -> JSONValue?) -> Bool {
        switch self {
        case .value(let name, let matcher): matcher.matches(value(name))
        case .all(let parts): parts.allSatisfy { $0.holds(value) }
        case .any(let parts): parts.contains { $0.holds(value) }
        case .not(let part): !part.holds(value)
        }
    }

    package func holds(_ properties: Properties) -> Bool {
        holds { properties[$0].map(JSONValue.init) }
    }

    /// The names of all values it looks at.
    package var names: Set<String> {
        switch self {
        case .value(let name, _): [name]
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.names) }
        case .not(let part): part.names
        }
    }
}
