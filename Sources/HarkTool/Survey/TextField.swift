import HarkWire

/// The text of a question while it is written, with the rules it must keep.
struct TextField: Sendable, Equatable {
    let rules: SurveyQuestion.TextRules
    var editor = TextEditor()

    /// What is sent: without the white space at its ends.
    var trimmed: String {
        let scalars = editor.text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    var value: JSONValue? {
        let text = trimmed
        guard !text.isEmpty else { return nil }
        return .string(text)
    }

    /// `12/500`, or how many characters there are where nothing limits them.
    var counter: String {
        rules.maxLength.map { "\(trimmed.count)/\($0)" } ?? String(trimmed.count)
    }

    var isTooLong: Bool { rules.maxLength.map { trimmed.count > $0 } ?? false }

    /// The rule that the text does not keep; nil if it keeps all. How short a text may be counts once there is one.
    func problem(isRequired: Bool) -> String? {
        let count = trimmed.count
        if count == 0 { return isRequired ? "Write something first." : nil }
        if let least = rules.minLength, count < least {
            return "Write at least \(Plural.count(least, "character")), \(least - count) more."
        }
        if let most = rules.maxLength, count > most {
            return "Write at most \(Plural.count(most, "character")), \(count - most) fewer."
        }
        return nil
    }
}
