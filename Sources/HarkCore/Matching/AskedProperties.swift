internal import HarkWire

/// The properties of one event that several conditions test, collected in a single pass.
struct AskedProperties {
    private var values: [ExactName: JSONValue] = [:]

    init(of record: RecordView, for conditions: some Sequence<EventCondition>) {
        var wanted: Set<ExactName> = []
        for condition in conditions { wanted.formUnion(condition.propertyNames) }
        // Most members are not tested, and not worth creating a text.
        let lengths = Set(wanted.map(\.text.utf8.count))
        guard !wanted.isEmpty else { return }
        Properties.forEachMember(in: record.properties) { member in
            guard lengths.contains(member.key.count) else { return }
            let name = ExactName(String(decoding: member.key, as: UTF8.self))
            if wanted.contains(name), values[name] == nil { values[name] = JSONValue(PropertyValue(member.value)) }
        }
    }

    subscript(name: ExactName) -> JSONValue? { values[name] }
}
