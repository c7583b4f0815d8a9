import HarkClient
import HarkWire

/// The results of a survey as a table for other programs (RFC 4180): a row for each count, answer and text.
enum ResultsCSV {
    private static let states: [StaticString] = [
        "shown", "answered", "dismissed", "expired", "cancelled", "scheduled", "ready", "presented",
    ]

    static func text(_ results: JSONText, _ table: CSVTable = CSVTable()) -> String {
        var rows = [["survey", "kind", "question", "value", "count", "at"]]
        let survey = results.member("surveyId")?.string ?? ""
        for state in states {
            guard let count = results.member(state)?.int else { continue }
            rows.append([survey, "total", "", state.description, String(count), ""])
        }
        if let median = results.member("medianSecondsToAnswer"), !median.isNull {
            rows.append([survey, "medianSecondsToAnswer", "", median.text, "", ""])
        }
        for question in results.member("questions")?.elements ?? [] {
            let id = question.member("questionId")?.string ?? ""
            for answer in question.member("answers")?.elements ?? [] {
                let value = answer.member("value")
                rows.append([
                    survey, "answer", id, value?.string.map(table.text) ?? value?.text ?? "",
                    answer.member("count")?.text ?? "", "",
                ])
            }
        }
        for text in results.member("texts")?.elements ?? [] {
            rows.append([
                survey, "text", text.member("questionId")?.string ?? "",
                text.member("text")?.string.map(table.text) ?? "", "",
                text.member("at")?.string ?? "",
            ])
        }
        return table.mark + rows.map(table.row).joined()
    }
}
