import HarkClient
import HarkWire

/// The value of a flag, on a command line and on standard output.
enum FlagValue {
    /// Refuses an unknown type, and a default that does not match the type.
    static func type(_ word: String?, fallback: String?) throws(ToolError) -> FlagType? {
        guard let word else { return nil }
        guard let type = FlagType(rawValue: word) else {
            let words = FlagType.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("'\(word)' is no type", hint: "It is one of \(words).")
        }
        guard let fallback, !isOf(type, fallback) else { return type }
        throw .usage("the default '\(fallback)' is no \(word)")
    }

    private static func isOf(_ type: FlagType, _ text: String) -> Bool {
        switch type {
        case .bool: text == "true" || text == "false"
        case .int: Int64(text) != nil
        case .double: Double(text)?.isFinite == true
        case .string, .raw: true
        }
    }
}
