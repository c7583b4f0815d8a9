package import HarkWire

extension Answers {
    /// Replaces a free text that is no longer kept, and shows that there was one.
    package static let redactedText = "[redacted]"

    /// The ids of the questions that were answered with free text.
    package var freeTexts: [String] {
        members.filter { member in
            if case .text(let text) = member.answer { !text.isEmpty && text != Answers.redactedText } else { false }
        }.map(\.id)
    }

    /// Whether a property of the response event holds free text.
    func isFreeText(in property: String) -> Bool {
        switch property {
        case "comment", "text": freeTexts.contains(SurveyContent.textId)
        // Byte for byte: an id may begin with a combining mark that would join the dot before it.
        default: freeTexts.contains { property.hasSameBytes(as: "answer." + $0) }
        }
    }

    /// The answers with free texts replaced by marks.
    package var redacted: Answers {
        var answers = self
        for id in freeTexts { answers[id] = .text(Answers.redactedText) }
        return answers
    }
}

/// A closed showing whose free texts must be removed, with the data to find its records.
package struct RedactedShowing: Sendable {
    package let id: Identifier
    package let survey: String
    package let closedAt: Timestamp
    /// The answers before the redaction.
    package let answers: Answers

    package init(id: Identifier, survey: String, closedAt: Timestamp, answers: Answers) {
        self.id = id
        self.survey = survey
        self.closedAt = closedAt
        self.answers = answers
    }

    /// The properties of a record without the texts; nil for an unrelated record.
    package func properties(redacting record: Record) -> Properties? {
        switch record.kind {
        case .event where record.name == SurveyEvents.response && record.at == closedAt:
            guard record.properties.text("id").hasSameBytes(as: survey) else { return nil }
            return Properties(record.properties.members.map { ($0.key, redacted($0.value, of: $0.key)) })
        case .presentation:
            guard var presentation = Presentation(record), presentation.id == id else { return nil }
            presentation.answers = presentation.answers.redacted
            return presentation.recordProperties
        default: return nil
        }
    }

    private func redacted(_ value: PropertyValue, of key: String) -> PropertyValue {
        guard answers.isFreeText(in: key) else { return value }
        let mark = Answers.redactedText
        guard key == "text", case .choice(let option)? = answers[SurveyContent.optionId] else { return .string(mark) }
        return .string("\(option)||\(mark)")
    }
}
