import HarkWire

extension Shape {
    /// The places where a value differs from this shape. A member that the shape does not name is a fault as well.
    func faults(in value: JSONValue, at path: String = "$") -> [String] {
        func fault(unless isRight: Bool) -> [String] { isRight ? [] : ["\(path) is \(value), must be \(title)"] }
        switch (self, value) {
        case (.any, _): return []
        case (.string, _): return fault(unless: value.stringValue != nil)
        case (.bool, _): return fault(unless: value.boolValue != nil)
        case (.id, _): return fault(unless: value.stringValue.flatMap(Identifier.init) != nil)
        case (.time, _): return fault(unless: value.stringValue.flatMap { Timestamp($0) } != nil)
        case (.integers(let range), _): return fault(unless: value.exactInteger.map(range.contains) ?? false)
        case (.numbers(let range), _): return fault(unless: value.doubleValue.map(range.contains) ?? false)
        case (.oneOf(let words), _): return fault(unless: value.stringValue.map(words.contains) ?? false)
        case (.array(let element), .array(let values)):
            return values.enumerated().flatMap { element.faults(in: $1, at: "\(path)[\($0)]") }
        case (.map(let element), .object(let members)):
            return members.flatMap { element.faults(in: $0.value, at: "\(path).\($0.key)") }
        case (.members(let declared), .object(let members)):
            let missing = declared.filter { !$0.isOptional && members[$0.name] == nil }.map {
                "\(path) has no '\($0.name)'"
            }
            return missing
                + members.flatMap { member in
                    guard let known = declared.first(where: { $0.name == member.key }) else {
                        return ["\(path) has a member '\(member.key)'"]
                    }
                    return known.type.faults(in: member.value, at: "\(path).\(member.key)")
                }
        case (.orNull(let shape), _): return value.isNull ? [] : shape.faults(in: value, at: path)
        case (.either(let shapes), _):
            return fault(unless: shapes.contains { $0.faults(in: value, at: path).isEmpty })
        case (.named(_, let shape), _): return shape.faults(in: value, at: path)
        case (.array, _), (.map, _), (.members, _): return fault(unless: false)
        }
    }
}
