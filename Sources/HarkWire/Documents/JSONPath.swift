/// A path in a document: `$.params.properties["a b"][3]`.
///
/// Paths are built only for errors, from the inside out: each level prepends its step.
package struct JSONPath: Hashable, Sendable {
    /// The longest name to show, in bytes, since people read paths.
    private static let longestName = 64

    /// The steps, the innermost first.
    private var steps: [String] = []

    package static let root = JSONPath()

    package mutating func prepend(index: Int) {
        steps.append("[\(index)]")
    }

    /// Prepends the step to a member, given its unescaped name.
    package mutating func prepend(name: UnsafeBufferPointer<UInt8>) {
        steps.append(Self.step(to: name))
    }

    /// Returns the step to a member: `.name`, or `["a name"]` if it is not a plain word.
    package static func step(to name: String) -> String { step(to: Array(name.utf8)) }

    private static func step(to name: some Collection<UInt8>) -> String {
        let isCut = name.count > longestName
        let shown = String(decoding: name.prefix(longestName), as: UTF8.self) + (isCut ? "…" : "")
        let isPlain = !name.isEmpty && name.prefix(longestName).allSatisfy(isPlain)
        return isPlain ? "." + shown : "[\(JSONValue.string(shown))]"
    }

    /// Whether a step leads to a member.
    static func isStep(_ step: ArraySlice<UInt8>, to name: String) -> Bool {
        let isWhole = step.first == UInt8(ascii: ".") && !step.reversed().starts(with: "…".utf8.reversed())
        return isWhole ? step.dropFirst().elementsEqual(name.utf8) : step.elementsEqual(Self.step(to: name).utf8)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}

extension JSONPath: CustomStringConvertible {
    package var description: String { "$" + steps.reversed().joined() }
}
