internal import HarkWire

extension Question {
    /// Reads `"other": true`, or a text as its label, into the last option.
    static func readOther(_ reader: inout ObjectReader, _ choices: [Choice]) -> [Choice] {
        guard let value = reader.value("other") else { return choices }
        let label: String
        switch value {
        case .bool(false): return choices
        case .bool(true): label = UsualLabels.other
        case .string(let text) where !text.trimmed.isEmpty: label = text
        default:
            reader.issues.error(reader.path("other"), "must be true, or a text as the label of the option")
            return choices
        }
        guard !choices.contains(where: { $0.value.hasSameBytes(as: otherValue) }) else {
            reader.issues.error(
                reader.path("other"), "adds an option '\(otherValue)', and there is one already; leave one of them out")
            return choices
        }
        var other = Choice(otherValue, label: label)
        other.isOther = true
        return choices + [other]
    }
}
