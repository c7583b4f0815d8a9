internal import HarkWire

/// A condition on events, ready to be asked of many: on their properties, names, users and whatever else `EventField` names.
///
/// It means what `Condition` means. An event's properties are gone through once, however much is asked.
package struct EventCondition: Sendable, Equatable {
    package let condition: Condition
    /// What is looked at, each once. Its place stands for it.
    private let fields: [EventField]
    private let root: Node
    /// The properties among them, by the bytes of their keys, and their places.
    private let keys: [(key: [UInt8], place: Int)]

    private indirect enum Node: Sendable {
        case value(Int, Matcher)
        case all([Node])
        case any([Node])
        case not(Node)
    }

    package static func == (left: EventCondition, right: EventCondition) -> Bool { left.condition == right.condition }

    /// - Throws: what is wrong with it, if it names what no event has, or takes too long to ask.
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

    // So that looking at what a commit may hold takes milliseconds.
    private static let maxWeight = 1_000
    private static let maxFields = 32
    private static let maxNodes = 4_000

    private struct Builder {
        var fields: [EventField] = []
        private var nodes = 0

        mutating func node(of condition: Condition) throws(ConditionFault) -> Node {
            nodes += 1
            // Parts may be empty, and weigh nothing.
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

    /// The properties that are looked at.
    var propertyNames: [ExactName] {
        fields.compactMap { if case .property(let name) = $0 { name } else { nil } }
    }

    package func holds(_ record: RecordView, of session: SessionIdentity) -> Bool {
        holds(record, of: session, asked: nil)
    }

    /// - Parameter asked: what was gathered of the event's properties for this and other conditions.
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

    /// About how many comparisons it takes as long as, to ask it of an event with so many bytes of properties.
    package func effort(bytes: Int) -> Int {
        let searching = condition.searches ? condition.weight / 100 * (bytes / 32) : 0
        return condition.comparisons + bytes / 64 * (1 + keys.count / 4) + searching
    }
}

extension EventField {
    /// Nil for properties as for what is missing.
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
