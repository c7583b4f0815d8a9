/// Shapes as JSON Schema (draft 7, the one that OpenRPC takes).
extension Shape {
    /// The schema. Named shapes are references.
    package var schema: JSONValue {
        switch self {
        case .any: [:]
        case .string: ["type": "string"]
        case .bool: ["type": "boolean"]
        case .id: ["type": "string", "format": "uuid"]
        case .time: ["type": "string", "format": "date-time"]
        case .integers(let range):
            Shape.numeric(
                "integer", range.lowerBound == .min ? nil : .int(range.lowerBound),
                range.upperBound == .max ? nil : .int(range.upperBound))
        case .numbers(let range):
            Shape.numeric(
                "number", range.lowerBound == -.infinity ? nil : .double(range.lowerBound),
                range.upperBound == .infinity ? nil : .double(range.upperBound))
        case .oneOf(let words): ["type": "string", "enum": .array(words.map(JSONValue.string))]
        case .array(let element): ["type": "array", "items": element.schema]
        case .map(let value): ["type": "object", "additionalProperties": value.schema]
        case .members(let members): Shape.schema(of: members)
        case .orNull(let shape): ["anyOf": [shape.schema, ["type": "null"]]]
        case .either(let shapes): ["anyOf": .array(shapes.map(\.schema))]
        case .named(let name, _): ["$ref": .string("#/components/schemas/\(name)")]
        }
    }

    private static func numeric(_ type: JSONValue, _ minimum: JSONValue?, _ maximum: JSONValue?) -> JSONValue {
        var schema: JSONObject = ["type": type]
        schema["minimum"] = minimum
        schema["maximum"] = maximum
        return .object(schema)
    }

    private static func schema(of members: [Member]) -> JSONValue {
        let properties = members.map { member in
            var schema = member.type.schema.objectValue ?? JSONObject()
            // Members next to a reference are ignored.
            if !member.meaning.isEmpty, schema["$ref"] == nil { schema["description"] = .string(member.meaning) }
            return (member.name, JSONValue.object(schema))
        }
        var schema: JSONObject = ["type": "object", "properties": .object(JSONObject(properties))]
        let required = members.filter { !$0.isOptional }.map { JSONValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return .object(schema)
    }

    /// Adds the named shapes in this one to `found`, each before its parts.
    package func collect(into found: inout [(name: String, shape: Shape)]) {
        switch self {
        case .any, .string, .bool, .id, .time, .integers, .numbers, .oneOf: break
        case .array(let shape), .map(let shape), .orNull(let shape): shape.collect(into: &found)
        case .either(let shapes): for shape in shapes { shape.collect(into: &found) }
        case .members(let members): for member in members { member.type.collect(into: &found) }
        case .named(let name, let shape):
            if found.contains(where: { $0.name == name && $0.shape == shape }) { return }
            found.append((name, shape))
            shape.collect(into: &found)
        }
    }
}
