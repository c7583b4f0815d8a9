import HarkClient

/// The value of a flag on a command line and on standard output.
enum FlagValue {
    /// Refuses a type that there is not, and a default that is not of the type.
    static func check(type: String?, among types: [String], fallback: String?) throws(ToolError) {
        guard let type else { return }
        guard types.contains(type) else {
            throw .usage("'\(type)' is no type", hint: "It is one of \(types.joined(separator: ", ")).")
        }
        guard let fallback, !isOf(type, fallback) else { return }
        throw .usage("the default '\(fallback)' is no \(type)")
    }

    private static func isOf(_ type: String, _ text: String) -> Bool {
        switch type {
        case "bool": text == "true" || text == "false"
        case "int": Int64(text) != nil
        case "double": Double(text)?.isFinite == true
        default: true
        }
    }
}
