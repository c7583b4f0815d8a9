import HarkClient
import HarkWire

/// Participants and plans as text for people.
enum StudyText {
    static func line(_ participant: JSONText) -> String {
        let user = participant.member("userId")?.string.map { VisibleText.value($0) } ?? "anonymous"
        let survey = VisibleText.value(participant.member("surveyId")?.string ?? "")
        switch participant.member("state")?.string {
        case "ended": return "\(user) no longer takes part in \(survey)"
        case "paused":
            let until = time(participant, "pausedUntil").map { "until \($0)" } ?? "until 'hark study resume'"
            return "\(user) takes part in \(survey), paused \(until)"
        default:
            let next = time(participant, "nextAt").map { "; the next prompt comes at \($0)" } ?? ""
            return "\(user) takes part in \(survey); day 1 is \(participant.member("dayOne")?.string ?? "?")\(next)"
        }
    }

    static func table(_ participants: [JSONText], _ style: TextStyle) -> String {
        TextTable.text(
            [["SURVEY", "USER", "GROUP", "STATE", "JOINED", "DAY 1"]]
                + participants.map { participant in
                    let state = participant.member("state")?.string ?? ""
                    return [
                        VisibleText.value(participant.member("surveyId")?.string ?? ""),
                        participant.member("userId")?.string.map { VisibleText.value($0) } ?? "-",
                        participant.member("group")?.string.map { VisibleText.value($0) } ?? "-",
                        participant.member("reason")?.string.map { "\(state) (\($0))" } ?? state,
                        time(participant, "joinedAt") ?? "-", participant.member("dayOne")?.string ?? "-",
                    ]
                }, style)
    }

    /// A plan with a line for each day, in local time.
    static func plan(_ plan: JSONText) -> String {
        let head = [
            "plan \(VisibleText.make(plan.member("plan")?.string ?? ""))",
            "seed \(VisibleText.value(plan.member("seed")?.string ?? ""))",
            plan.member("zone")?.string.map { "zone \(VisibleText.make($0))" },
        ].compactMap(\.self).joined(separator: ", ")
        let days = plan.member("days")?.elements ?? []
        if days.isEmpty { return "\(head)\nno prompts on these days" }
        let lines = days.map { day in
            let prompts = (day.member("prompts")?.elements ?? []).compactMap { $0.string.flatMap { Timestamp($0) } }
            let times = prompts.map { String(LocalTime.secondText($0).dropFirst(11)) }.joined(separator: " ")
            let burst = day.member("burst")?.int.map { "burst \($0), " } ?? ""
            return "\(day.member("date")?.string ?? "?")  \(burst)day \(day.member("studyDay")?.int ?? 0)  \(times)"
        }
        return ([head] + lines).joined(separator: "\n")
    }

    private static func time(_ json: JSONText, _ member: StaticString) -> String? {
        json.member(member)?.string.flatMap { Timestamp($0) }.map { LocalTime.secondText($0) }
    }
}
