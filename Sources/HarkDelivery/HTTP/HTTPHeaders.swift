/// Header fields in order; names are compared case-insensitively.
package struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of a name; setting replaces all values, nil removes them.
    package subscript(name: String) -> String? {
        get { fields.first { HTTPHeaders.matches($0.name, name) }?.value }
        set {
            fields.removeAll { HTTPHeaders.matches($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Appends a field, even if the name exists.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Keeps only the fields with these names.
    func limited(to names: [String]) -> HTTPHeaders {
        var kept = HTTPHeaders()
        kept.fields = fields.filter { field in names.contains { HTTPHeaders.matches($0, field.name) } }
        return kept
    }

    private static func matches(_ a: String, _ b: String) -> Bool {
        a.utf8.elementsEqual(b.utf8) { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
    }
}
