import HarkAsking
import HarkClient
import HarkWire

/// What somebody has said of being asked, in lines.
enum MuteText {
    static func line(_ mute: JSONText) -> String {
        var parts: [String] = []
        if mute.member("muted")?.bool == true {
            let until = mute.member("until")?.string.flatMap { Timestamp($0) }.map { LocalTime.secondText($0) }
            parts.append(until.map { "muted until \($0)" } ?? "muted for ever")
            if mute.member("prompts")?.bool == true, !isOfAgents(mute) { parts.append("with the questions of scripts") }
        }
        if let seconds = mute.member("everySeconds")?.int {
            parts.append(
                seconds == 0 ? "as often as it likes" : "at most once in \(DurationText.make(Double(seconds)))")
        }
        return "\(survey(mute)): \(parts.isEmpty ? "not muted" : parts.joined(separator: ", "))"
    }

    /// How many have muted something.
    static func count(_ count: JSONText) -> String {
        "\(survey(count)): muted by \(Plural.count(count.member("count")?.int.map { Int($0) } ?? 0, "account"))"
    }

    private static func isOfAgents(_ json: JSONText) -> Bool {
        json.member("surveyId")?.string == AgentWords.promptName && json.member("prompts")?.bool == true
    }

    private static func survey(_ json: JSONText) -> String {
        if isOfAgents(json) { return "questions of agents" }
        return json.member("surveyId")?.string.map { VisibleText.value($0) } ?? "all surveys"
    }
}
