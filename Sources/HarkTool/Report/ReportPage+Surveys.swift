import HarkAsking
import HarkWire

extension ReportPage {
    private static let mostSurveys = 20
    /// The maximum number of surveys with details.
    private static let mostDetailed = 8
    private static let mostQuestions = 20
    private static let mostChoices = 15
    private static let intervals =
        "The line over each bar, and the numbers in brackets, tell where the share of all users lies with 95 % "
        + "confidence (Wilson's interval), if those who answered are like those who did not."

    /// The results of each survey, and the distribution of its answers.
    var surveys: String {
        guard !report.surveys.isEmpty else { return section("Surveys", [paragraph("There are no surveys.")]) }
        let shown = report.surveys.prefix(Self.mostSurveys)
        let rows = shown.map { survey in
            let count = { (state: String) in Plural.grouped(survey.states[state] ?? 0) }
            let waiting = ["scheduled", "ready", "presented"].reduce(0) { $0 + (survey.states[$1] ?? 0) }
            return [
                Markup.recorded(survey.id), Plural.grouped(survey.shown), Plural.grouped(survey.answered),
                share(survey.answered, of: survey.shown), count("dismissed"), count("expired"),
                Plural.grouped(waiting), survey.secondsToAnswer.map(DurationText.make) ?? "–",
            ]
        }
        let columns = [
            "Survey", "#Shown", "#Answered", "#Share", "#Dismissed", "#Expired", "#Waiting", "#Median time",
        ]
        var parts = [table("Surveys that were due in this time", columns, rows)]
        let others = report.surveys.count - shown.count
        if others > 0 { parts.append(paragraph("and \(Plural.count(others, "other survey"))")) }
        let answered = report.surveys.filter { $0.answered > 0 }
        let questions = answered.prefix(Self.mostDetailed).map(questions)
        let untold = answered.count - questions.count
        if questions.contains(where: { !$0.isEmpty }) {
            parts.append(
                "<details><summary>What the lines over the bars mean</summary>"
                    + paragraph(Self.intervals) + "</details><p class=\"paper\">\(Self.intervals)</p>")
        }
        if untold > 0 {
            let words = "<code>hark results</code> tells the answers to \(Plural.count(untold, "other survey"))."
            return section("Surveys", parts + questions + [paragraph(words)])
        }
        return section("Surveys", parts + questions)
    }

    private func questions(_ survey: SurveyTally) -> String {
        let asked = survey.questions.filter { $0.answers > 0 }
        var parts = asked.prefix(Self.mostQuestions).map { distribution($0, of: survey) }
        let others = asked.count - parts.count
        if others > 0 { parts.append(paragraph("and \(Plural.count(others, "other question"))")) }
        guard !parts.isEmpty else { return "" }
        let title = survey.title.isEmpty ? "" : " – \(Markup.recorded(survey.title))"
        return "<h3>\(Markup.recorded(survey.id))\(title)</h3>\n" + parts.joined(separator: "\n")
    }

    private func distribution(_ asked: SurveyTally.Question, of survey: SurveyTally) -> String {
        // In a survey without questions, the title is the question.
        let name = survey.title.isEmpty ? asked.question.id : survey.title
        let prompt = asked.question.prompt.isEmpty ? name : asked.question.wholePrompt
        let caption = Markup.recorded(prompt)
        guard !asked.choices.isEmpty else {
            if !asked.isText { return measure(asked, caption) }
            let words = asked.answers == 1 ? "text was written" : "texts were written"
            return "<p>\(caption) <span class=\"soft\">\(Plural.grouped(asked.answers)) \(words); "
                + "<code>hark results</code> shows the latest.</span></p>"
        }
        if asked.isRanking { return ranking(asked, caption, label: prompt) }
        var rows = zip(asked.choices, asked.counts).prefix(Self.mostChoices).map { choice, count in
            row(label(of: choice), count, asked)
        }
        let hidden = asked.counts.dropFirst(Self.mostChoices)
        if !hidden.isEmpty {
            let count = Plural.grouped(hidden.reduce(0, +))
            rows.append(["and \(Plural.count(hidden.count, "other answer"))", count, "", "", ""])
        }
        if asked.others > 0 {
            rows.append(["answers that it does not have any more", Plural.grouped(asked.others), "", "", ""])
        }
        let people =
            "\(Plural.count(asked.answers, "answer"))" + (asked.isMultiple ? "; each may name several" : "")
        return score(asked, of: survey) + measure(asked, "")
            + table(
                "\(caption) <span class=\"soft\">\(people)</span>", label: Markup.escaped(Markup.shortened(prompt)),
                ["Answer", "#Count", "#Share", "#95 %", ""], rows)
    }

    private func label(of choice: SurveyQuestion.Choice) -> String {
        "\(choice.emoji.map { emoji($0) + " " } ?? "")\(Markup.recorded(choice.label))"
    }

    /// The options of a ranking, the best first.
    private func ranking(_ asked: SurveyTally.Question, _ caption: String, label name: String) -> String {
        var rows = asked.ranks.prefix(Self.mostChoices).map { rank in
            [label(of: rank.choice), rank.mean.map(ResultsText.tenths) ?? "–", Plural.grouped(rank.first)]
        }
        let hidden = asked.ranks.count - rows.count
        if hidden > 0 { rows.append(["and \(Plural.count(hidden, "other answer"))", "", ""]) }
        return table(
            "\(caption) <span class=\"soft\">\(Plural.count(asked.answers, "answer"))</span>",
            label: Markup.escaped(Markup.shortened(name)), ["Answer", "#Mean place", "#First"], rows)
    }

    /// The mean of numbers, or the share of satisfied people; of dates and times, how many there are.
    private func measure(_ asked: SurveyTally.Question, _ caption: String) -> String {
        var (words, low, high) = ("", 0.0, 0.0)
        var hasInterval = false
        if let satisfaction = asked.satisfaction {
            words = "Customer satisfaction (4, 5) <strong>\(Int(satisfaction.value.rounded())) %</strong>"
            if let estimate = satisfaction.estimate { (low, high, hasInterval) = (estimate.low, estimate.high, true) }
        } else if let mean = asked.mean {
            words = "Mean <strong>\(ResultsText.tenths(mean.mean))</strong>"
            if let estimate = mean.estimate { (low, high, hasInterval) = (estimate.low, estimate.high, true) }
        } else if asked.choices.isEmpty {
            return "<p>\(caption) <span class=\"soft\">\(Plural.count(asked.answers, "answer")); "
                + "<code>hark results</code> shows how often each was given.</span></p>"
        } else {
            return ""
        }
        let interval = hasInterval ? " (\(ResultsText.tenths(low)) to \(ResultsText.tenths(high)))" : ""
        let count = asked.choices.isEmpty ? ", of \(Plural.count(asked.answers, "answer"))" : ""
        let name = caption.isEmpty ? "" : "\(caption) "
        return "<p>\(name)\(words)<span class=\"soft\">\(interval)\(count)</span></p>\n"
    }

    /// The net promoter score with its groups, if it is asked for.
    private func score(_ asked: SurveyTally.Question, of survey: SurveyTally) -> String {
        guard let score = asked.score else { return "" }
        func whole(_ number: Double) -> String { String(Int(number.rounded())) }
        let interval =
            score.estimate.map { " <span class=\"soft\">(\(whole($0.low)) to \(whole($0.high)))</span>" } ?? ""
        let before = report.past?.surveys[survey.id]?.questions.first { $0.question.id == asked.question.id }?.score
        let change = before.flatMap { score.change(from: $0) }.map { change in
            ", \(change.value < 0 ? "▼" : "▲") \(whole(change.value.magnitude)) since the time before"
                + " (\(whole(change.low)) to \(whole(change.high)))"
        }
        let groups = [
            ("Promoters (9, 10)", score.promoters),
            ("Passives (7, 8)", score.total - score.promoters - score.detractors),
            ("Detractors (0 to 6)", score.detractors),
        ]
        let parts = groups.map { "<li>\($0): \(Plural.grouped($1)), \(share($1, of: score.total))</li>" }
        return """
            <p>Net promoter score <strong>\(whole(score.value))</strong>\(interval)<span class="soft">\(change ?? "")</span></p>
            <ul>\(parts.joined())</ul>

            """
    }

    private func row(_ label: String, _ count: Int, _ asked: SurveyTally.Question) -> [String] {
        let interval = WilsonInterval(count, of: asked.answers)
        let (low, high) = (Int((interval.low * 100).rounded()), Int((interval.high * 100).rounded()))
        return [
            label, Plural.grouped(count), share(count, of: asked.answers), "(\(low)–\(high) %)",
            bar(Double(count) / Double(max(asked.answers, 1)), interval),
        ]
    }
}
