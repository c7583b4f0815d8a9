package import HarkWire

/// Conditions on named values — the properties of an event, or counters — joined by all, any and not.
package indirect enum Condition: Sendable, Equatable {
    case value(String, Matcher)
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// It is a change of one of these counters that is looked at.
    case changed([String])

    /// What a condition may have as text; as JSON it may have what a request or a document may.
    static let maxTextBytes = 8_192

    /// Asks nothing.
    package static let always = Condition.all([])

    /// - Parameters:
    ///   - changed: the counter whose change is looked at; nil when it is looked at for another reason.
    ///   - value: looks a value up by its name; nil when there is none.
    package func holds(changed: String? = nil, _ value: (String) -> JSONValue?) -> Bool {
        switch self {
        case .value(let name, let matcher): matcher.matches(value(name))
        case .all(let parts): parts.allSatisfy { $0.holds(changed: changed, value) }
        case .any(let parts): parts.contains { $0.holds(changed: changed, value) }
        case .not(let part): !part.holds(changed: changed, value)
        case .changed(let names): changed.map { changed in names.contains { $0.hasSameBytes(as: changed) } } ?? false
        }
    }

    /// The counters whose changes it asks for.
    var changes: [String] {
        switch self {
        case .value: []
        case .all(let parts), .any(let parts): parts.flatMap(\.changes)
        case .not(let part): part.changes
        case .changed(let names): names
        }
    }

    package func holds(_ properties: Properties) -> Bool { holds(properties.lookup(times: comparisons)) }

    /// How many comparisons it takes; one that searches a text counts as a hundred, as the text may be long.
    package var weight: Int {
        switch self {
        case .value(_, let matcher): matcher.searches ? 100 : 1
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.weight }
        case .not(let part): part.weight
        case .changed(let names): names.count
        }
    }

    /// How many comparisons it takes, whatever the values are.
    var comparisons: Int {
        switch self {
        case .value: 1
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.comparisons }
        case .not(let part): part.comparisons
        case .changed(let names): names.count
        }
    }

    /// Whether it searches a text or a list, which takes the longer the longer that is.
    var searches: Bool {
        switch self {
        case .value(_, let matcher): matcher.searches
        case .all(let parts), .any(let parts): parts.contains(where: \.searches)
        case .not(let part): part.searches
        case .changed: false
        }
    }

    /// How many comparisons its searches take as long as, with these values.
    func searching(_ value: (String) -> JSONValue?) -> Int {
        switch self {
        case .value(let name, let matcher): matcher.searches ? matcher.searching(value(name)) : 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.searching(value) }
        case .not(let part): part.searching(value)
        case .changed: 0
        }
    }

    /// The names of all values it looks at, and of those whose changes it asks for.
    package var names: Set<ExactName> {
        switch self {
        case .value(let name, _): return [ExactName(name)]
        default:
            var names: Set<ExactName> = []
            collect(&names)
            return names
        }
    }

    private func collect(_ names: inout Set<ExactName>) {
        switch self {
        case .value(let name, _): names.insert(ExactName(name))
        case .all(let parts), .any(let parts): for part in parts { part.collect(&names) }
        case .not(let part): part.collect(&names)
        case .changed(let changed): names.formUnion(changed.map(ExactName.init))
        }
    }
}
