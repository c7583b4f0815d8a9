internal import HarkPattern
package import HarkWire

/// A text answer being written, with its rules.
package struct TextField: Sendable, Equatable {
    package let rules: SurveyQuestion.TextRules
    package var editor = TextEditor()

    package init(rules: SurveyQuestion.TextRules, editor: TextEditor = TextEditor()) {
        self.rules = rules
        self.editor = editor
    }

    /// The text to send, without surrounding white space.
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
        if let rule = rules.moment { return (try? MomentText.read(text, rule).get()).map(JSONValue.string) }
        guard rules.number != nil else { return .string(text) }
        return try? DecimalText.read(text).get().value
    }

    /// Whether it is written in one line, which Enter ends.
    package var isOneLine: Bool { rules.number != nil || rules.moment != nil || rules.isOneLine }

    /// The valid input of a one-line field, which stays the same during input; nil for a text.
    package var span: String? { rules.number?.span ?? rules.moment.map { MomentText.span($0) } }

    /// `12/500`, or the number of characters if there is no limit.
    package var counter: String {
        if let span { return span }
        return rules.maxLength.map { "\(trimmed.count)/\($0)" } ?? String(trimmed.count)
    }

    package var isTooLong: Bool { rules.maxLength.map { trimmed.count > $0 } ?? false }

    /// Returns the violated rule; nil if there is none. The minimum length applies to non-empty texts.
    package func problem(isRequired: Bool) -> String? {
        let count = trimmed.count
        if count == 0 { return isRequired ? Words.say("Write something first.") : nil }
        if let rule = rules.moment {
            switch MomentText.read(trimmed, rule) {
            case .success(let answer): return MomentText.problem(answer, rule)
            case .failure(let fault): return fault.sentence
            }
        }
        if let rule = rules.number {
            switch DecimalText.read(trimmed) {
            case .success(let number): return rule.problem(number)
            case .failure(let fault): return fault.sentence
            }
        }
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
        if let pattern = rules.pattern, !pattern.matches(trimmed) {
            return rules.patternMessage ?? Words.say("Write the answer in the requested form.")
        }
        return nil
    }
}
