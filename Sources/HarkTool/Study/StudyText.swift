import HarkClient
import HarkWire

/// Participants and plans as text for people.
enum StudyText {
    static func line(_ participant: ParticipantInfo) -> String {
        let user = participant.userId.map { VisibleText.value($0) } ?? "anonymous"
        let survey = VisibleText.value(participant.surveyId)
        switch participant.state {
        case "ended": return "\(user) no longer takes part in \(survey)"
        case "paused":
            let until = participant.pausedUntil.map { "until \(LocalTime.secondText($0))" }
            return "\(user) takes part in \(survey), paused \(until ?? "until 'hark study resume'")"
        default:
            let next = participant.nextAt.map { "; the next prompt comes at \(LocalTime.secondText($0))" } ?? ""
            return "\(user) takes part in \(survey); day 1 is \(participant.dayOne)\(next)"
        }
    }

    static func table(_ participants: [ParticipantInfo], _ style: TextStyle) -> String {
        TextTable.text(
            [["SURVEY", "USER", "GROUP", "STATE", "JOINED", "DAY 1"]]
                + participants.map { participant in
                    [
                        VisibleText.value(participant.surveyId),
                        participant.userId.map { VisibleText.value($0) } ?? "-",
                        participant.group.map { VisibleText.value($0) } ?? "-",
                        participant.reason.map { "\(participant.state) (\($0))" } ?? participant.state,
                        LocalTime.secondText(participant.joinedAt), participant.dayOne,
                    ]
                }, style)
    }

    /// A plan with a line for each day, in local time.
    static func plan(_ plan: StudyPlanInfo) -> String {
        let head = [
            "plan \(VisibleText.make(plan.plan))", "seed \(VisibleText.value(plan.seed))",
            plan.zone.map { "zone \(VisibleText.make($0))" },
        ].compactMap(\.self).joined(separator: ", ")
        if plan.days.isEmpty { return "\(head)\nno prompts on these days" }
        let lines = plan.days.map { day in
            let times = day.prompts.compactMap { Timestamp($0) }.map { LocalTime.secondText($0).dropFirst(11) }
            let burst = day.burst.map { "burst \($0), " } ?? ""
            return "\(day.date)  \(burst)day \(day.studyDay)  \(times.joined(separator: " "))"
        }
        return ([head] + lines).joined(separator: "\n")
    }
}
