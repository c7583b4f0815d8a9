/// Header fields in their order; names are compared without regard to case.
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

    /// The first value under that name; setting replaces all of them, nil removes them.
    package subscript(name: String) -> String? {
        get { fields.first { HTTPHeaders.matches($0.name, name) }?.value }
        set {
            fields.removeAll { HTTPHeaders.matches($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Adds a field, whatever there is under that name already.
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

extension HTTPHeaders.Field {
    /// Whether it can be sent: a name of token characters and a value that cannot end the line.
    var isSendable: Bool {
        HTTPHeaders.isToken(name) && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") }
    }
}

extension HTTPHeaders {
    /// Why a field cannot be sent; nil when it can.
    package static func fault(name: String, value: String) -> String? {
        Field(name: name, value: value).isSendable ? nil : "cannot be a header: names are words, values are one line"
    }

    /// RFC 9110's token: what names of headers and methods are made of.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
