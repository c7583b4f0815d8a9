import HarkWire

/// Where in a document something is: `$.params.properties["a b"][3]`.
///
/// It is made only for a refusal, by whoever found the fault, from the inside out: each level puts its step in front.
struct JSONPath: Hashable, Sendable {
    /// Longer keys are cut: a path is read by people.
    private static let longestKey = 64

    /// The innermost step comes first.
    private var steps: [String] = []

    static let root = JSONPath()

    mutating func prepend(index: Int) {
        steps.append("[\(index)]")
    }

    /// Puts a member in front whose name has its escapes undone.
    mutating func prepend(key: UnsafeBufferPointer<UInt8>) {
        let shown = UnsafeBufferPointer(rebasing: key.prefix(Self.longestKey))
        if Self.isPlain(shown) {
            steps.append("." + String(decoding: shown, as: UTF8.self) + (key.count > shown.count ? "…" : ""))
            return
        }
        var writer = JSONWriter()
        writer.string(String(decoding: shown, as: UTF8.self) + (key.count > shown.count ? "…" : ""))
        steps.append("[" + String(decoding: writer.bytes, as: UTF8.self) + "]")
    }

    private static func isPlain(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        !key.isEmpty
            && key.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension JSONPath: CustomStringConvertible {
    var description: String { "$" + steps.reversed().joined() }
}
