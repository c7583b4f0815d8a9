import HarkAsking
import HarkWire

extension MuteInfo {
    /// One line for people.
    var line: String {
        let isOfAgents = prompts && surveyId == AgentWords.promptName
        var parts: [String] = []
        if muted {
            parts.append(until.map { "muted until \(LocalTime.secondText($0))" } ?? "muted for ever")
            if prompts, !isOfAgents { parts.append("with the questions of scripts") }
        }
        if let everySeconds {
            parts.append(
                everySeconds == 0
                    ? "as often as it likes" : "at most once in \(DurationText.make(Double(everySeconds)))")
        }
        let what = isOfAgents ? "questions of agents" : MuteInfo.survey(surveyId)
        return "\(what): \(parts.isEmpty ? "not muted" : parts.joined(separator: ", "))"
    }

    fileprivate static func survey(_ id: String?) -> String { id.map { VisibleText.value($0) } ?? "all surveys" }
}

extension MutingCount {
    /// One line for people.
    var line: String { "\(MuteInfo.survey(surveyId)): muted by \(Plural.count(count, "account"))" }
}
