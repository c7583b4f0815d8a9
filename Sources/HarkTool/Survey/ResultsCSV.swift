import HarkClient
import HarkWire

/// The results of a survey as a table for other programs (RFC 4180): a row for each count, answer and text.
enum ResultsCSV {
    private static let states: [StaticString] = [
        "shown", "answered", "dismissed", "abandoned", "expired", "cancelled", "scheduled", "ready", "presented",
    ]

    private static let columns = ["survey", "kind", "question", "value", "count", "at", "low", "high", "from", "by"]

    static func text(_ results: JSONText, _ table: CSVTable = CSVTable()) -> String {
        var rows = [columns]
        let survey = results.member("surveyId")?.string ?? ""
        func add(
            _ kind: String, _ question: String = "", _ value: String = "", _ count: String = "", at: String = "",
            _ interval: JSONText? = nil, of part: JSONText? = nil
        ) {
            rows.append([
                survey, kind, question, value, count, at, interval?.member("low")?.text ?? "",
                interval?.member("high")?.text ?? "", part?.member("from")?.string ?? "",
                part?.member("by").map { $0.isNull ? "" : $0.string.map(table.text) ?? $0.text } ?? "",
            ])
        }
        func addCounts(_ results: JSONText, of part: JSONText? = nil) {
            for state in states + ["people", "anonymous"] {
                if let count = results.member(state)?.int {
                    add("total", "", state.description, String(count), of: part)
                }
            }
            if let median = results.member("medianSecondsToAnswer"), !median.isNull {
                add("medianSecondsToAnswer", "", median.text)
            }
            for question in results.member("questions")?.elements ?? [] {
                let id = question.member("questionId")?.string ?? ""
                for answer in question.member("answers")?.elements ?? [] {
                    let value = answer.member("value")
                    let text = value?.string.map(table.text) ?? value?.text ?? ""
                    add("answer", id, text, answer.member("count")?.text ?? "", answer.member("share"), of: part)
                }
                if let score = question.member("netPromoterScore") {
                    add(
                        "netPromoterScore", id, score.text, question.member("answered")?.text ?? "",
                        question.member("netPromoterInterval"), of: part)
                }
                if let score = question.member("satisfactionScore") {
                    add(
                        "satisfactionScore", id, score.text, question.member("answered")?.text ?? "",
                        question.member("satisfactionInterval"), of: part)
                }
                if let mean = question.member("mean") {
                    add(
                        "mean", id, mean.text, question.member("answered")?.text ?? "", question.member("meanInterval"),
                        of: part)
                }
            }
        }
        addCounts(results)
        for text in results.member("texts")?.elements ?? [] {
            add(
                "text", text.member("questionId")?.string ?? "", text.member("text")?.string.map(table.text) ?? "",
                at: text.member("at")?.string ?? "")
        }
        for way in results.member("dropOff")?.elements ?? [] {
            let id = way.member("questionId")?.string ?? ""
            for word in ["seen", "answered", "left"] as [StaticString] {
                add("dropOff", id, word.description, way.member(word)?.text ?? "")
            }
        }
        for part in results.member("parts")?.elements ?? [] { addCounts(part, of: part) }
        return table.lines(rows)
    }
}
