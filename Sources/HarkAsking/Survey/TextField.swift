package import HarkWire

/// The text of a question while it is written, with the rules it must keep.
package struct TextField: Sendable, Equatable {
    package let rules: SurveyQuestion.TextRules
    package var editor = TextEditor()

    package init(rules: SurveyQuestion.TextRules, editor: TextEditor = TextEditor()) {
        self.rules = rules
        self.editor = editor
    }

    /// What is sent: without the white space at its ends.
    package var trimmed: String {
        let scalars = editor.text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    package var value: JSONValue? {
        let text = trimmed
        guard !text.isEmpty else { return nil }
        return .string(text)
    }

    /// `12/500`, or how many characters there are where nothing limits them.
    package var counter: String {
        rules.maxLength.map { "\(trimmed.count)/\($0)" } ?? String(trimmed.count)
    }

    package var isTooLong: Bool { rules.maxLength.map { trimmed.count > $0 } ?? false }

    /// The rule that the text does not keep; nil if it keeps all. How short a text may be counts once there is one.
    package func problem(isRequired: Bool) -> String? {
        let count = trimmed.count
        if count == 0 { return isRequired ? Words.say("Write something first.") : nil }
        if let least = rules.minLength, count < least {
            return Words.say(
                "Write at least {count} character, {more} more.", "Write at least {count} characters, {more} more.",
                count: least, ["more": String(least - count)])
        }
        if let most = rules.maxLength, count > most {
            return Words.say(
                "Write at most {count} character, {fewer} fewer.", "Write at most {count} characters, {fewer} fewer.",
                count: most, ["fewer": String(count - most)])
        }
        return nil
    }
}
