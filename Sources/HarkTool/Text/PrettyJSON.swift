import HarkClient

/// Formats JSON over several lines, and keeps the order of members and the spelling of values.
enum PrettyJSON {
    static func text(_ value: JSONText, indent: Int = 0) -> String {
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        if value.isObject {
            var members: [String] = []
            value.forEachMember { key, member in
                members.append(
                    "\(inner)\"\(String(decoding: key, as: UTF8.self))\": \(text(member, indent: indent + 2))")
                return true
            }
            return members.isEmpty ? "{}" : "{\n\(members.joined(separator: ",\n"))\n\(outer)}"
        }
        if value.isArray {
            let elements = value.elements
            if elements.allSatisfy({ !$0.isObject && !$0.isArray }) {
                return "[" + elements.map(\.text).joined(separator: ", ") + "]"
            }
            let lines = elements.map { inner + text($0, indent: indent + 2) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
        }
        return value.text
    }
}
