package import HarkWire

extension SurveyResults {
    /// Writes the results. Of a question that the survey has now, every possible answer is listed in its order, also the
    /// ones nobody gave; answers from earlier versions of it follow.
    package func write(to json: inout JSONWriter, survey: Survey?) {
        json.beginObject()
        json.key("surveyId")
        json.string(self.survey)
        json.key("shown")
        json.int(shown)
        for state in Presentation.State.allCases {
            json.key(state.word)
            json.int(count(state))
        }
        json.key("medianSecondsToAnswer")
        if let median = medianTimeToAnswer { json.double(Double(median) / 1000) } else { json.null() }
        json.key("questions")
        json.beginArray()
        for (id, rows) in rows(survey) { write(id, rows, of: survey, to: &json) }
        json.endArray()
        json.key("texts")
        json.beginArray()
        for text in texts {
            json.beginObject()
            json.key("at")
            json.timestamp(text.at)
            json.key("questionId")
            json.string(text.question)
            json.key("text")
            json.string(text.text)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private func write(
        _ id: String, _ rows: [(value: String, count: Int)], of survey: Survey?, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.key("questionId")
        json.string(id)
        let question = survey?.content.questionnaire.question(id)
        if let question, !question.prompt.isEmpty {
            json.key("question")
            json.string(question.prompt)
        }
        if question?.kind == .nps, let score = netPromoterScore(id) {
            json.key("netPromoterScore")
            json.double(score)
        }
        json.key("answers")
        json.beginArray()
        for row in rows {
            json.beginObject()
            json.key("value")
            json.string(row.value)
            json.key("count")
            json.int(row.count)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// The distribution of each question, in the order of the survey.
    package func rows(_ survey: Survey?) -> [(id: String, rows: [(value: String, count: Int)])] {
        let asked = (survey?.content.questionnaire.questions ?? []).filter { $0.possibleAnswers != nil }
        let known = asked.map { ExactName($0.id) }
        let ids = known + distribution.keys.filter { !known.contains($0) }.sorted()
        return ids.map { id in
            let counts = distribution[id] ?? [:]
            let values = (asked.first { ExactName($0.id) == id }?.possibleAnswers ?? []).map(ExactName.init)
            let listed = Set(values)
            let others = counts.keys.filter { !listed.contains($0) }.sorted()
            return (id.text, (values + others).map { ($0.text, counts[$0] ?? 0) })
        }
    }
}
