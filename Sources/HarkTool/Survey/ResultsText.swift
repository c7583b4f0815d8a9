import HarkAsking
import HarkClient
import HarkWire

/// The results of a survey for people: numbers, bars that fill the width, and the latest texts.
struct ResultsText {
    private let results: SurveyResultInfo
    private let style: TextStyle
    private let columns: Int

    private static let widestLabel = 24

    /// The length of a wave, if results are grouped by time.
    private let step: TimeStep?
    /// Whether changes are those from wave to wave, and not from variant to variant.
    private let hasWaves: Bool

    init(_ results: SurveyResultInfo, _ style: TextStyle, columns: Int, _ step: TimeStep? = nil) {
        self.step = step
        hasWaves = results.parts?.contains { $0.from != nil } ?? false
        self.results = results
        self.style = style
        self.columns = max(columns, 20)
    }

    var text: String {
        var lines = [style.bold(VisibleText.make(results.surveyId))] + counts
        for question in results.questions { lines += [""] + distribution(question) }
        lines += dropOff
        for part in results.parts ?? [] {
            lines += ["", style.bold(name(of: part)) + "  " + summary(of: part.counts)]
            for question in part.questions { lines += distribution(question) }
        }
        if let rest = results.rest, rest > 0 {
            lines += ["", "\(Plural.count(rest, "showing")) of further parts, for which there was no room"]
        }
        if !results.texts.isEmpty { lines += ["", style.dim("latest texts")] + results.texts.flatMap { latest($0) } }
        return lines.joined(separator: "\n")
    }

    private var counts: [String] {
        let counts = results.counts
        let abandoned = counts.abandoned > 0 ? ", \(Plural.grouped(counts.abandoned)) of them abandoned" : ""
        var rows = [
            ("shown", Plural.grouped(counts.shown)),
            (
                "answered",
                Plural.grouped(counts.answered) + share(counts.answered, of: counts.shown) + people(counts)
            ),
            ("dismissed", Plural.grouped(counts.dismissed) + abandoned),
            ("expired", Plural.grouped(counts.expired)), ("cancelled", Plural.grouped(counts.cancelled)),
            ("waiting", Plural.grouped(counts.scheduled + counts.ready + counts.presented)),
        ]
        if let median = results.medianSecondsToAnswer {
            rows.append(("median time", DurationText.make(median) + " to answer"))
        }
        return rows.map { style.dim(TextWidth.padded($0, 13)) + $1 }
    }

    private func share(_ part: Int64, of whole: Int64) -> String {
        whole > 0 ? " (\(Int((Double(part) * 100 / Double(whole)).rounded())) %)" : ""
    }

    /// The number of people, because several answers of one person are not independent.
    private func people(_ counts: ResultCounts) -> String {
        let (people, anonymous) = (counts.people, counts.anonymous)
        guard people > 0 else { return "" }
        return " by \(people == 1 ? "1 person" : "\(Plural.grouped(people)) people")"
            + (anonymous > 0 ? ", \(Plural.grouped(anonymous)) anonymously" : "")
    }

    /// The questions at which people stopped.
    private var dropOff: [String] {
        let rows = results.dropOff
        guard rows.contains(where: { $0.left > 0 }) else { return [] }
        let table = rows.map {
            [
                label(VisibleText.make($0.questionId)), Plural.grouped($0.seen), Plural.grouped($0.answered),
                Plural.grouped($0.left),
            ]
        }
        let text = TextTable.text(
            [[columns < 50 ? "  stopped at" : "  where people stopped", "seen", "answered", "left"]]
                + table.map { ["  " + $0[0]] + $0.dropFirst() },
            style)
        return [""] + text.split(separator: "\n").map(String.init)
    }

    private func name(of part: ResultPart) -> String {
        let wave = part.from.map { step?.label($0) ?? LocalTime.text($0) }
        let by = part.by.map { $0.json.isNull ? "-" : ScalarText.shown($0.json) }
        return [by, wave].compactMap(\.self).joined(separator: "  ")
    }

    private func summary(of counts: ResultCounts) -> String {
        "shown \(Plural.grouped(counts.shown)), answered \(Plural.grouped(counts.answered))"
            + share(counts.answered, of: counts.shown) + people(counts)
    }

    private func score(_ question: QuestionResult) -> String {
        let whole = { (number: Double) in String(Int(number.rounded())) }
        var text = ""
        if let score = question.netPromoterScore {
            text =
                "  net promoter score \(whole(score))" + interval(question.netPromoterInterval, whole)
                + change(question.change, whole)
        } else if let score = question.satisfactionScore {
            text =
                "  \(whole(score)) % satisfied" + interval(question.satisfactionInterval, whole)
                + change(question.change, whole)
        } else if let mean = question.mean {
            text =
                "  mean \(Self.tenths(mean))" + interval(question.meanInterval, Self.tenths)
                + change(question.change, Self.tenths)
        }
        guard question.answered > 0, question.answered < Estimate.fewest else { return text }
        return text + "  too few to generalize"
    }

    /// Formats with one decimal, and never as -0.
    static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    private func interval(_ interval: Interval?, _ text: (Double) -> String) -> String {
        interval.map { " (\(text($0.low)) to \(text($0.high)))" } ?? ""
    }

    private func change(_ change: ResultChange?, _ text: (Double) -> String) -> String {
        guard let change else { return "" }
        let value = text(change.value)
        let since = hasWaves ? "since the last" : "compared with the first"
        return ", \(value.hasPrefix("-") ? "" : "+")\(value) \(since)" + interval(change.interval, text)
    }

    private func distribution(_ question: QuestionResult) -> [String] {
        if question.answers.contains(where: { $0.meanRank != nil }) { return ranking(question) }
        let answers = question.answers.map { answer in
            (
                label: label(VisibleText.make(answer.value)), count: answer.count, share: answer.share,
                change: answer.change
            )
        }
        let most = max(answers.map(\.count).max() ?? 0, 1)
        // A person with several choices counts once.
        let total = max(question.answered, 1)
        let width = answers.map { TextWidth.of($0.label) }.max() ?? 0
        let countWidth = Plural.grouped(most).utf8.count
        let hasIntervals = answers.contains { $0.share != nil }
        let room = max(1, min(columns, 100) - width - countWidth - (hasIntervals ? 26 : 13))
        let rows = answers.map { answer in
            let share = Int((Double(answer.count) * 100 / Double(total)).rounded())
            let numbers =
                aligned(Plural.grouped(answer.count), countWidth) + "  " + aligned(String(share), 3) + " %"
                + (hasIntervals ? TextWidth.padded(percents(answer.share), 13) : "")
            let bar = Self.bar(answer.count, of: most, room)
            let change = change(answer.change) { String(Int(($0 * 100).rounded())) }
            let line =
                "  \(TextWidth.padded(answer.label, width))  \(numbers)"
                + (bar.isEmpty || !change.isEmpty ? change : "  " + style.name(bar))
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return [style.dim(prompt(question)) + score(question)] + rows
    }

    /// The options of a ranking, the best first.
    private func ranking(_ question: QuestionResult) -> [String] {
        let rows = question.answers.map { answer in
            (label: label(VisibleText.make(answer.value)), mean: answer.meanRank, first: answer.first ?? 0)
        }.sorted { ($0.mean ?? .infinity) < ($1.mean ?? .infinity) }
        let table = rows.map { [$0.label, $0.mean.map(Self.tenths) ?? "-", Plural.grouped($0.first)] }
        let text = TextTable.text(
            [["  " + prompt(question), "mean place", "first"]] + table.map { ["  " + $0[0]] + $0.dropFirst() }, style)
        return text.split(separator: "\n").map(String.init)
    }

    private func prompt(_ question: QuestionResult) -> String {
        VisibleText.make(question.question ?? question.questionId)
    }

    private func percents(_ share: Interval?) -> String {
        interval(share) { String(Int(($0 * 100).rounded())) }
    }

    private func aligned(_ digits: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - digits.utf8.count)) + digits
    }

    private func label(_ text: String) -> String {
        let widest = min(Self.widestLabel, columns / 3)
        return TextWidth.of(text) > widest ? StyledLine(text).clipped(to: widest - 1).text + "…" : text
    }

    /// Returns a bar in eighths of a column.
    static func bar(_ count: Int64, of most: Int64, _ room: Int) -> String {
        let eighths = Int((Double(count) / Double(most) * Double(room * 8)).rounded())
        let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
    }

    /// The ratings by the same person, to show before a text.
    private func beside(_ text: TextResult) -> String {
        text.beside.map { style.name(label(VisibleText.make($0.value))) + "  " } ?? ""
    }

    private func latest(_ text: TextResult) -> [String] {
        let at = LocalTime.text(text.at).prefix(16)
        let words = text.text.split(whereSeparator: \.isNewline).map { VisibleText.make(String($0)) }
        return WordWrap.hanging(
            "  " + style.dim(String(at)) + "  " + beside(text), words.joined(separator: "\n"),
            indent: columns < 50 ? 4 : 20, columns: min(columns, 100))
    }
}
