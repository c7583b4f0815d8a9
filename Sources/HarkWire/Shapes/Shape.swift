/// The shape of a JSON value in the protocol: a parameter, a member of a result, or a nested value.
///
/// The documentation and JSON Schemas are generated from it.
package indirect enum Shape: Sendable, Equatable {
    /// Any JSON value, including null.
    case any
    case string, bool
    /// A UUID, as a string.
    case id
    /// A time, as a string in ISO 8601.
    case time
    case integers(ClosedRange<Int64>)
    case numbers(ClosedRange<Double>)
    /// One of several words.
    case oneOf([String])
    case array(Shape)
    /// An object with arbitrary names.
    case map(Shape)
    /// An object with these members. Later versions may add others.
    case members([Member])
    case orNull(Shape)
    case either([Shape])
    /// A shape used in several places, with a name.
    case named(String, Shape)

    package struct Member: Sendable, Equatable {
        package let name: String
        package let type: Shape
        /// Whether it may be absent.
        package var isOptional = false
        /// The meaning in Markdown; empty if the name is enough.
        package let meaning: String

        package init(name: String, type: Shape, isOptional: Bool = false, meaning: String) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.meaning = meaning
        }

        /// A member that is always present.
        package static func always(_ name: String, _ type: Shape, _ meaning: String = "") -> Member {
            Member(name: name, type: type, meaning: meaning)
        }

        /// A member that may be absent.
        package static func maybe(_ name: String, _ type: Shape, _ meaning: String = "") -> Member {
            Member(name: name, type: type, isOptional: true, meaning: meaning)
        }
    }

    package static let integer = Shape.integers(.min ... .max)
    /// A count, or a number that ascends from 0.
    package static let count = integer(in: 0 ... .max)
    /// The number of a subscription on its connection.
    package static let subscription = integer(in: 1 ... .max)
    package static let number = Shape.numbers(-.infinity ... .infinity)
    /// A duration.
    package static let seconds = Shape.numbers(0 ... .infinity)
    package static let object = Shape.map(.any)
    /// A property value of an event.
    package static let primitive = Shape.either([.string, .number, .bool])
    package static let properties = Shape.map(.primitive)
    package static let strings = Shape.array(.string)

    package static func integer(in range: ClosedRange<Int64>) -> Shape { .integers(range) }

    /// The name in the documentation: "string or null".
    package var title: String {
        switch self {
        case .any: "any JSON value"
        case .string, .oneOf: "string"
        case .bool: "bool"
        case .id: "id (UUID)"
        case .time: "time (ISO-8601)"
        case .integers: "integer"
        case .numbers: "number"
        case .array(let element): "array of \(element.plural)"
        case .map, .members: "object"
        case .orNull(let shape): "\(shape.title) or null"
        case .either(let shapes):
            shapes.map(\.title).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                .joined(separator: " or ")
        case .named(_, let shape): shape.title
        }
    }

    private var plural: String {
        switch self {
        case .any, .orNull, .either: "values"
        case .id: "ids"
        case .time: "times"
        case .named(_, let shape): shape.plural
        case .array: "arrays"
        case .string, .oneOf, .bool, .integers, .numbers, .map, .members: "\(title)s"
        }
    }

    /// The name in errors: "an integer".
    package var withArticle: String {
        let isVowel = title.first.map("aeiou".contains) ?? false
        return "\(isVowel ? "an" : "a") \(title)"
    }

    /// The range of a limited integer: "1 to 1000".
    package var bounds: String? {
        guard case .integers(let range) = self, range.lowerBound != .min, range.upperBound != .max else { return nil }
        return "\(range.lowerBound) to \(range.upperBound)"
    }
}
