package import HarkWire

/// Conditions on named values (the properties of an event, or counters), combined by all, any and not.
package indirect enum Condition: Sendable, Equatable {
    case value(String, Matcher)
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// Holds when one of these counters has just changed.
    case changed([String])

    /// The longest condition as text, in bytes. As JSON it is limited by the request or document.
    static let maxTextBytes = 8_192

    /// Always holds.
    package static let always = Condition.all([])

    /// - Parameters:
    ///   - changed: the counter whose change triggers the test; nil for another trigger.
    ///   - value: looks a value up by name; nil when there is none.
    package func holds(changed: String? = nil, _ value: (String) -> JSONValue?) -> Bool {
        switch self {
        case .value(let name, let matcher): matcher.matches(value(name))
        case .all(let parts): parts.allSatisfy { $0.holds(changed: changed, value) }
        case .any(let parts): parts.contains { $0.holds(changed: changed, value) }
        case .not(let part): !part.holds(changed: changed, value)
        case .changed(let names): changed.map { changed in names.contains { $0.hasSameBytes(as: changed) } } ?? false
        }
    }

    /// The counters in `changed`.
    var changes: [String] {
        switch self {
        case .value: []
        case .all(let parts), .any(let parts): parts.flatMap(\.changes)
        case .not(let part): part.changes
        case .changed(let names): names
        }
    }

    package func holds(_ properties: Properties) -> Bool { holds(properties.lookup(times: comparisons)) }

    /// The cost in comparisons; a search in a text counts as a hundred, because the text may be long.
    package var weight: Int {
        switch self {
        case .value(_, let matcher): matcher.searches ? 100 : 1
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.weight }
        case .not(let part): part.weight
        case .changed(let names): names.count
        }
    }

    /// The number of comparisons, independent of the values.
    var comparisons: Int {
        switch self {
        case .value: 1
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.comparisons }
        case .not(let part): part.comparisons
        case .changed(let names): names.count
        }
    }

    /// Whether the condition searches a text or list, which takes time proportional to its length.
    var searches: Bool {
        switch self {
        case .value(_, let matcher): matcher.searches
        case .all(let parts), .any(let parts): parts.contains(where: \.searches)
        case .not(let part): part.searches
        case .changed: false
        }
    }

    /// The cost of the searches in these values, in comparisons.
    func searching(_ value: (String) -> JSONValue?) -> Int {
        switch self {
        case .value(let name, let matcher): matcher.searches ? matcher.searching(value(name)) : 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.searching(value) }
        case .not(let part): part.searching(value)
        case .changed: 0
        }
    }

    /// The names of all values tested, and of the counters in `changed`.
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
