package import HarkWire

extension SurveyResults {
    /// Writes the results. For a current question, all possible answers are listed in order, with those nobody gave;
    /// answers from earlier versions of it follow.
    package func write(to json: inout JSONWriter, survey: Survey?) {
        json.beginObject()
        writeMembers(to: &json, survey: survey)
        json.endObject()
    }

    package func writeMembers(to json: inout JSONWriter, survey: Survey?) {
        json.key("surveyId")
        json.string(self.survey)
        writeCounts(to: &json)
        json.key("medianSecondsToAnswer")
        if let median = medianTimeToAnswer { json.double(Double(median) / 1000) } else { json.null() }
        writeQuestions(to: &json, survey: survey)
        let told = texts.map { text in
            var result = TextResult()
            (result.at, result.questionId, result.text) = (text.at, text.question, text.text)
            result.beside = text.beside.map { beside in
                var told = TextBeside()
                (told.questionId, told.value) = (beside.question, beside.value)
                return told
            }
            return result
        }
        json.member("texts", told)
        writeWays(to: &json, survey: survey)
    }

    func writeCounts(to json: inout JSONWriter) {
        json.key("shown")
        json.int(shown)
        for state in Presentation.State.allCases {
            json.key(state.word)
            json.int(count(state))
        }
        json.key("abandoned")
        json.int(abandoned)
        json.key("people")
        json.int(people)
        json.key("anonymous")
        json.int(anonymous)
    }

    /// - Parameter before: the results of the wave before, for changes.
    func writeQuestions(to json: inout JSONWriter, survey: Survey?, before: SurveyResults? = nil) {
        json.key("questions")
        json.beginArray()
        for (id, rows) in rows(survey) { write(id, rows, of: survey, before, to: &json) }
        json.endArray()
    }

    private func writeWays(to json: inout JSONWriter, survey: Survey?) {
        let questionnaire = survey?.content.questionnaire ?? Questionnaire([])
        let asked = questionnaire.questions.filter { $0.kind != .note }
        // The text of an "Other" stands on the page of its question, and the rows of a matrix on that of the first.
        let pages = Set(questionnaire.written.map { ExactName($0.id) })
        let others = Set(asked.map { ExactName($0.id) }).subtracting(pages)
        let known = asked.map { ExactName($0.id) }
        let ids = known.filter { !others.contains($0) } + ways.keys.filter { !known.contains($0) }.sorted()
        let told = ids.map { id in
            let way = ways[id] ?? Way()
            var result = DropOff()
            result.questionId = id.text
            (result.seen, result.answered, result.left) = (Int64(way.seen), Int64(way.answered), Int64(way.left))
            return result
        }
        json.member("dropOff", told)
    }

    private func write(
        _ id: String, _ rows: [(value: String, count: Int)], of survey: Survey?, _ before: SurveyResults?,
        to json: inout JSONWriter
    ) {
        let question = survey?.content.questionnaire.question(id)
        let total = answersTo[id] ?? 0
        json.beginObject()
        json.key("questionId")
        json.string(id)
        if let question, !question.prompt.isEmpty {
            json.key("question")
            json.string(question.wholePrompt)
        }
        json.key("answered")
        json.int(total)
        if question?.kind == .nps, let score = netPromoterScore(id) {
            json.key("netPromoterScore")
            json.double(score.value)
            json.write("netPromoterInterval", score.estimate)
            json.write("change", before?.netPromoterScore(id).flatMap { score.change(from: $0) }, isChange: true)
        } else if question?.kind.type == .csat, let satisfaction = satisfaction(id) {
            json.key("satisfactionScore")
            json.double(satisfaction.value)
            json.write("satisfactionInterval", satisfaction.estimate)
            json.write(
                "change", before?.satisfaction(id).flatMap { satisfaction.change(from: $0) }, isChange: true)
        } else if question?.kind.numbers != nil, let mean = mean(id) {
            json.key("mean")
            json.double(mean.mean)
            json.write("meanInterval", mean.estimate)
            json.write("change", before?.mean(id).flatMap { mean.change(from: $0) }, isChange: true)
        }
        json.key("answers")
        json.beginArray()
        for row in rows {
            json.beginObject()
            json.key("value")
            json.string(row.value)
            json.key("count")
            json.int(row.count)
            if total >= Estimate.fewest {
                let interval = WilsonInterval(row.count, of: total)
                json.write("share", Estimate(Double(row.count) / Double(total), interval.low, interval.high))
            }
            if case .ranking? = question?.kind, let places = places[id]?[row.value] {
                json.key("first")
                json.int(places.firsts)
                json.key("meanRank")
                json.double(Double(places.sum) / Double(max(places.count, 1)))
            }
            if let before, let counts = before.distribution[id] {
                let old = (counts[row.value] ?? 0, before.answersTo[id] ?? 0)
                json.write("change", Estimate.change(from: old, to: (row.count, total)), isChange: true)
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// The distribution of each question's answers, in the order of the survey.
    package func rows(_ survey: Survey?) -> [(id: String, rows: [(value: String, count: Int)])] {
        let asked = (survey?.content.questionnaire.questions ?? []).filter {
            $0.possibleAnswers != nil || $0.kind.numbers != nil || $0.kind.moments != nil
        }
        let known = asked.map { ExactName($0.id) }
        let ids = known + distribution.keys.filter { !known.contains($0) }.sorted()
        return ids.map { id in
            let counts = distribution[id] ?? [:]
            let values = (asked.first { ExactName($0.id) == id }?.possibleAnswers ?? []).map(ExactName.init)
            let listed = Set(values)
            let others = counts.keys.filter { !listed.contains($0) }
            return (id.text, (values + Self.inOrder(others, counts)).map { ($0.text, counts[$0] ?? 0) })
        }
    }
}

extension SurveyResults {
    /// The most answers of a question that are told beside those that it lists.
    private static let mostOthers = 100

    /// Numbers by their size, and texts by their bytes; of too many the most frequent.
    private static func inOrder(_ answers: [ExactName], _ counts: [ExactName: Int]) -> [ExactName] {
        var answers = answers
        if answers.count > mostOthers {
            answers.sort { (counts[$0] ?? 0, $1) > (counts[$1] ?? 0, $0) }
            answers.removeLast(answers.count - mostOthers)
        }
        let numbers = answers.map { ExactNumber($0.text) }
        return zip(answers, numbers).sorted { one, other in
            if let mine = one.1, let theirs = other.1 { return mine < theirs }
            return one.1 == nil && other.1 == nil ? one.0 < other.0 : one.1 != nil
        }.map(\.0)
    }
}

extension JSONWriter {
    /// Writes an interval; for a change also the value, which is written nowhere else.
    fileprivate mutating func write(_ name: StaticString, _ estimate: Estimate?, isChange: Bool = false) {
        guard let estimate else { return }
        var change = ResultChange()
        (change.value, change.interval.low, change.interval.high) = (estimate.value, estimate.low, estimate.high)
        if isChange { member(name, change) } else { member(name, change.interval) }
    }
}
