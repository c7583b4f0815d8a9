import HarkClient
import HarkWire

/// The results of a survey as a table for other programs (RFC 4180): a row for each count, answer and text.
enum ResultsCSV {
    private static let columns = ["survey", "kind", "question", "value", "count", "at", "low", "high", "from", "by"]

    static func text(_ results: SurveyResultInfo, _ table: CSVTable = CSVTable()) -> String {
        var rows = [columns]
        func add(
            _ kind: String, _ question: String = "", _ value: String = "", _ count: String = "", at: String = "",
            _ interval: Interval? = nil, of part: ResultPart? = nil
        ) {
            rows.append([
                table.text(results.surveyId), kind, table.text(question), value, count, at,
                interval.map { number($0.low) } ?? "",
                interval.map { number($0.high) } ?? "", part?.from?.description ?? "",
                part?.by.map { $0.json.isNull ? "" : $0.json.string.map(table.text) ?? $0.json.text } ?? "",
            ])
        }
        func addCounts(_ counts: ResultCounts, of part: ResultPart? = nil) {
            for (word, count) in [
                ("shown", counts.shown), ("answered", counts.answered), ("dismissed", counts.dismissed),
                ("abandoned", counts.abandoned), ("expired", counts.expired), ("cancelled", counts.cancelled),
                ("scheduled", counts.scheduled), ("ready", counts.ready), ("presented", counts.presented),
                ("people", counts.people), ("anonymous", counts.anonymous),
            ] {
                add("total", "", word, String(count), of: part)
            }
        }
        func addQuestions(_ questions: [QuestionResult], of part: ResultPart? = nil) {
            for question in questions {
                let id = question.questionId
                for answer in question.answers {
                    add("answer", id, table.text(answer.value), String(answer.count), answer.share, of: part)
                }
                for (kind, score, interval) in [
                    ("netPromoterScore", question.netPromoterScore, question.netPromoterInterval),
                    ("satisfactionScore", question.satisfactionScore, question.satisfactionInterval),
                    ("mean", question.mean, question.meanInterval),
                ] {
                    guard let score else { continue }
                    add(kind, id, number(score), String(question.answered), interval, of: part)
                }
            }
        }
        addCounts(results.counts)
        if let median = results.medianSecondsToAnswer { add("medianSecondsToAnswer", "", number(median)) }
        addQuestions(results.questions)
        for text in results.texts {
            add("text", text.questionId, table.text(text.text), at: text.at.description)
        }
        for way in results.dropOff {
            for (word, count) in [("seen", way.seen), ("answered", way.answered), ("left", way.left)] {
                add("dropOff", way.questionId, word, String(count))
            }
        }
        for part in results.parts ?? [] {
            addCounts(part.counts, of: part)
            addQuestions(part.questions, of: part)
        }
        return table.lines(rows)
    }

    /// A number as it is in JSON.
    private static func number(_ number: Double) -> String {
        var writer = JSONWriter()
        writer.double(number)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
