internal import HarkWire

/// The properties of one event that several conditions ask for: gone through once, however many there are of both.
struct AskedProperties {
    private var values: [ExactName: JSONValue] = [:]

    init(of record: RecordView, for conditions: some Sequence<EventCondition>) {
        var wanted: Set<ExactName> = []
        for condition in conditions { wanted.formUnion(condition.propertyNames) }
        // Most members are not asked for, and are not worth a text.
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
