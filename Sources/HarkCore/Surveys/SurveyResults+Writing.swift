package import HarkWire

extension SurveyResults {
    /// The results. For a current question, all possible answers are listed in order, even without answers; answers from earlier
    /// versions of it follow.
    package func info(of survey: Survey?) -> SurveyResultInfo {
        var info = SurveyResultInfo()
        info.surveyId = self.survey
        info.counts = counts
        info.medianSecondsToAnswer = medianTimeToAnswer.map { Double($0) / 1000 }
        info.questions = questions(of: survey)
        info.texts = texts.map { text in
            var result = TextResult()
            (result.at, result.questionId, result.text) = (text.at, text.question, text.text)
            result.beside = text.beside.map { beside in
                var told = TextBeside()
                (told.questionId, told.value) = (beside.question, beside.value)
                return told
            }
            return result
        }
        info.dropOff = dropOff(of: survey)
        return info
    }

    var counts: ResultCounts {
        var counts = ResultCounts()
        counts.shown = Int64(shown)
        counts.scheduled = Int64(count(.scheduled))
        counts.ready = Int64(count(.ready))
        counts.presented = Int64(count(.presented))
        counts.answered = Int64(count(.answered))
        counts.dismissed = Int64(count(.dismissed))
        counts.expired = Int64(count(.expired))
        counts.cancelled = Int64(count(.cancelled))
        counts.abandoned = Int64(abandoned)
        counts.people = Int64(people)
        counts.anonymous = Int64(anonymous)
        return counts
    }

    /// - Parameter before: the results of the wave before, for changes.
    func questions(of survey: Survey?, before: SurveyResults? = nil) -> [QuestionResult] {
        rows(survey).map { result(of: $0.id, $0.rows, survey?.content.questionnaire.question($0.id), before) }
    }

    private func dropOff(of survey: Survey?) -> [DropOff] {
        let questionnaire = survey?.content.questionnaire ?? Questionnaire([])
        let asked = questionnaire.questions.filter { $0.kind != .note }
        // The text of an "Other" is on the page of its question, and the rows of a matrix are on the page of the first row.
        let pages = Set(questionnaire.written.map { ExactName($0.id) })
        let others = Set(asked.map { ExactName($0.id) }).subtracting(pages)
        let known = asked.map { ExactName($0.id) }
        let ids = known.filter { !others.contains($0) } + ways.keys.filter { !known.contains($0) }.sorted()
        return ids.map { id in
            let way = ways[id] ?? Way()
            var result = DropOff()
            result.questionId = id.text
            (result.seen, result.answered, result.left) = (Int64(way.seen), Int64(way.answered), Int64(way.left))
            return result
        }
    }

    private func result(
        of id: String, _ rows: [(value: String, count: Int)], _ question: Question?, _ before: SurveyResults?
    ) -> QuestionResult {
        let total = answersTo[id] ?? 0
        var result = QuestionResult()
        result.questionId = id
        if let question, !question.prompt.isEmpty { result.question = question.wholePrompt }
        result.answered = Int64(total)
        var change: Estimate?
        if question?.kind == .nps, let score = netPromoterScore(id) {
            result.netPromoterScore = score.value
            result.netPromoterInterval = Interval(score.estimate)
            change = before?.netPromoterScore(id).flatMap { score.change(from: $0) }
        } else if question?.kind.type == .csat, let satisfaction = satisfaction(id) {
            result.satisfactionScore = satisfaction.value
            result.satisfactionInterval = Interval(satisfaction.estimate)
            change = before?.satisfaction(id).flatMap { satisfaction.change(from: $0) }
        } else if question?.kind.numbers != nil, let mean = mean(id) {
            result.mean = mean.mean
            result.meanInterval = Interval(mean.estimate)
            change = before?.mean(id).flatMap { mean.change(from: $0) }
        }
        result.change = ResultChange(change)
        let isRanking = if case .ranking? = question?.kind { true } else { false }
        result.answers = rows.map { row in
            var answer = AnswerResult()
            answer.value = row.value
            answer.count = Int64(row.count)
            if total >= Estimate.fewest {
                let interval = WilsonInterval(row.count, of: total)
                answer.share = Interval(Estimate(Double(row.count) / Double(total), interval.low, interval.high))
            }
            if isRanking, let places = places[id]?[row.value] {
                answer.first = Int64(places.firsts)
                answer.meanRank = Double(places.sum) / Double(max(places.count, 1))
            }
            if let before, let counts = before.distribution[id] {
                let old = (counts[row.value] ?? 0, before.answersTo[id] ?? 0)
                answer.change = ResultChange(Estimate.change(from: old, to: (row.count, total)))
            }
            return answer
        }
        return result
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
    /// The most answers of a question that are reported in addition to those that it lists.
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

extension Interval {
    fileprivate init?(_ estimate: Estimate?) {
        guard let estimate else { return nil }
        self.init()
        (low, high) = (estimate.low, estimate.high)
    }
}

extension ResultChange {
    fileprivate init?(_ estimate: Estimate?) {
        guard let estimate, let interval = Interval(estimate) else { return nil }
        self.init()
        (value, self.interval) = (estimate.value, interval)
    }
}
