internal import HarkWire

/// A condition on events, compiled to be tested on many: on properties, names, users and the other fields of
/// `EventField`.
///
/// It means the same as its `Condition`. An event's properties are read in one pass, however many are tested.
package struct EventCondition: Sendable, Equatable {
    package let condition: Condition
    /// The distinct fields tested; nodes refer to them by index.
    private let fields: [EventField]
    private let root: Node
    /// The properties among the fields, as bytes of their keys, with their indices.
    private let keys: [(key: [UInt8], place: Int)]

    private indirect enum Node: Sendable {
        case value(Int, Matcher)
        case all([Node])
        case any([Node])
        case not(Node)
    }

    package static func == (left: EventCondition, right: EventCondition) -> Bool { left.condition == right.condition }

    /// - Throws: an error if the condition names something that no event has, or is too expensive.
    package init(_ condition: Condition) throws(ConditionFault) {
        guard condition.weight <= EventCondition.maxWeight else {
            throw ConditionFault(
                "the condition weighs \(condition.weight), where \(EventCondition.maxWeight) is the most: a comparison "
                    + "weighs 1, a search in a text 100")
        }
        self.condition = condition
        var builder = Builder()
        root = try builder.node(of: condition)
        fields = builder.fields
        keys = fields.enumerated().compactMap { place, field in
            guard case .property(let name) = field else { return nil }
            return (Array(name.text.utf8), place)
        }
    }

    // Limits that keep testing the events of a commit within milliseconds.
    private static let maxWeight = 1_000
    private static let maxFields = 32
    private static let maxNodes = 4_000

    private struct Builder {
        var fields: [EventField] = []
        private var nodes = 0

        mutating func node(of condition: Condition) throws(ConditionFault) -> Node {
            nodes += 1
            // Counts parts too, because empty ones have no weight.
            guard nodes <= maxNodes else { throw ConditionFault("the condition has more than \(maxNodes) parts") }
            switch condition {
            case .value(let name, let matcher): return .value(try place(of: try EventField(name)), matcher)
            case .all(let parts): return .all(try self.nodes(of: parts))
            case .any(let parts): return .any(try self.nodes(of: parts))
            case .not(let part): return .not(try node(of: part))
            case .changed: throw ConditionFault("'changed' asks for counters, and there are none here")
            }
        }

        private mutating func nodes(of parts: [Condition]) throws(ConditionFault) -> [Node] {
            var nodes: [Node] = []
            for part in parts { nodes.append(try node(of: part)) }
            return nodes
        }

        private mutating func place(of field: EventField) throws(ConditionFault) -> Int {
            if let place = fields.firstIndex(of: field) { return place }
            guard fields.count < maxFields else {
                throw ConditionFault("the condition asks for more than \(maxFields) values of an event")
            }
            fields.append(field)
            return fields.count - 1
        }
    }

    /// The names of the properties tested.
    var propertyNames: [ExactName] {
        fields.compactMap { if case .property(let name) = $0 { name } else { nil } }
    }

    package func holds(_ record: RecordView, of session: SessionIdentity) -> Bool {
        holds(record, of: session, asked: nil)
    }

    /// - Parameter asked: the event's properties, collected for this and other conditions.
    func holds(_ record: RecordView, of session: SessionIdentity, asked: AskedProperties?) -> Bool {
        var values = [JSONValue?](repeating: nil, count: fields.count)
        for place in fields.indices { values[place] = fields[place].value(of: record, session) }
        if let asked {
            for (_, place) in keys {
                if case .property(let name) = fields[place] { values[place] = asked[name] }
            }
        } else if !keys.isEmpty {
            Properties.forEachMember(in: record.properties) { member in
                for (key, place) in keys where values[place] == nil && member.key.elementsEqual(key) {
                    values[place] = JSONValue(PropertyValue(member.value))
                }
            }
        }
        if session.machine != nil {
            for place in fields.indices where values[place] == nil {
                values[place] = fields[place].origin(of: session.machine).map(JSONValue.string)
            }
        }
        return EventCondition.holds(root, values)
    }

    private static func holds(_ node: Node, _ values: [JSONValue?]) -> Bool {
        switch node {
        case .value(let place, let matcher): matcher.matches(values[place])
        case .all(let parts): parts.allSatisfy { holds($0, values) }
        case .any(let parts): parts.contains { holds($0, values) }
        case .not(let part): !holds(part, values)
        }
    }

    /// The approximate cost, in comparisons, of testing an event with `bytes` bytes of properties.
    package func effort(bytes: Int) -> Int {
        let searching = condition.searches ? condition.weight / 100 * (bytes / 32) : 0
        return condition.comparisons + bytes / 64 * (1 + keys.count / 4) + searching
    }
}

extension EventField {
    /// Nil for a missing value, and for a property.
    fileprivate func value(of record: RecordView, _ session: SessionIdentity) -> JSONValue? {
        switch self {
        case .name: .string(String(decoding: record.name, as: UTF8.self))
        case .sequence: .int(Int64(clamping: record.sequence))
        case .uid: .int(Int64(record.source.uid))
        case .pid: .int(Int64(record.source.pid))
        case .app: .string(session.scope.app)
        case .user: session.userId.map(JSONValue.string)
        case .session: .string(session.id.description)
        case .machine: session.machine.map { .string($0.name) }
        case .group: session.machine?.group.map(JSONValue.string)
        case .property: nil
        }
    }
}
