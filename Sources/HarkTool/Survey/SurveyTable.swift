import HarkAsking
import HarkClient
import HarkWire

/// Tables of surveys with a header.
enum SurveyTable {
    /// Returns a table of waiting surveys.
    static func text(_ presentations: [ShownSurvey], _ style: TextStyle, columns: Int? = nil) -> String {
        let rows = presentations.map { presentation in
            [
                presentation.triggerAt.map { LocalTime.secondText($0) } ?? "-", VisibleText.make(presentation.state),
                VisibleText.make(presentation.surveyId), presentation.user.map { VisibleText.value($0) } ?? "-",
                VisibleText.value(presentation.app), oneLine(presentation.title), VisibleText.make(presentation.id),
            ]
        }
        return TextTable.text(
            [["due", "state", "survey", "user", "app", "title", "presentation"]] + rows, style, columns: columns)
    }

    /// Returns a table of configured surveys.
    static func rules(_ rules: [SurveyRuleInfo], _ style: TextStyle, columns: Int? = nil) -> String {
        let rows = rules.map { rule in
            [
                VisibleText.make(rule.surveyId), VisibleText.make(rule.event ?? ""),
                rule.delaySeconds > 0 ? DurationText.make(rule.delaySeconds) : "-",
                VisibleText.make(rule.content.responseType), oneLine(rule.content.title),
            ]
        }
        return TextTable.text([["survey", "event", "delay", "answer", "title"]] + rows, style, columns: columns)
    }

    private static func oneLine(_ title: String) -> String {
        let line = VisibleText.make(title)
        return TextWidth.of(line) > 40 ? StyledLine(line).clipped(to: 39).text + "…" : line
    }
}
