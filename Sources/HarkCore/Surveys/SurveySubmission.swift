package import HarkWire

/// An answer to a survey as a presenter sends it.
package struct SurveySubmission: Sendable, Equatable {
    /// For the response types `options` and `combined`: the choice.
    package var option: JSONValue?
    /// For the response types `text` and `combined`.
    package var text: JSONValue?
    /// For any response type: the answers by question id.
    package var answers: JSONObject

    package init(option: JSONValue? = nil, text: JSONValue? = nil, answers: JSONObject = JSONObject()) {
        self.option = option
        self.text = text
        self.answers = answers
    }

    /// The answers by question.
    func given(to content: SurveyContent) throws(WireError) -> [(id: String, value: JSONValue)] {
        var given: [(id: String, value: JSONValue)] = []
        for (member, value) in [(SurveyContent.optionId, option), (SurveyContent.textId, text)] {
            guard let value, !value.isNull else { continue }
            guard content.responseType != .questions, content.questionnaire.question(member) != nil else {
                let ids = content.questionnaire.questions.map(\.id).joined(separator: ", ")
                throw WireError(
                    .invalidParams,
                    "this survey takes no '\(member)'; give 'answers' to its questions (\(ids))", path: member)
            }
            given.append((member, value))
        }
        for (id, value) in answers.map({ ($0.key, $0.value) }) {
            guard !given.contains(where: { $0.id.hasSameBytes(as: id) }) else {
                throw WireError(.invalidParams, "'\(id)' is answered twice", path: "answers.\(id)")
            }
            given.append((id, value))
        }
        return given
    }

    /// The member that holds, or should hold, the answer to a question.
    func path(_ id: String, in content: SurveyContent) -> String {
        content.responseType == .questions || answers[id] != nil ? "answers.\(id)" : id
    }
}
