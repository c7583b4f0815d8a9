import HarkClient
import HarkWire

extension LiveTable {
    static let presentations = LiveTable(
        name: "presentations", meaning: "showings of surveys, ended ones too, one row each",
        columns: [
            Column("id", "TEXT", .member(0), "its id"),
            Column("survey", "TEXT", .member(1), "the survey", filter: .survey),
            Column("state", "TEXT", .member(2), PresentationState.allCases.map(\.word).joined(separator: ", ")),
            Column("user", "TEXT", .member(3), "the user; NULL: anonymous", filter: .user),
            Column("app", "TEXT", .member(5), "the application", filter: .app),
            Column("session", "TEXT", .member(6), "the id of the session it belongs to"),
            Column("due", "TEXT", .time(7), "when it was or will be ready, in UTC"),
            Column("expires", "TEXT", .time(8), "when it ends by itself, in UTC"),
            Column("presented", "TEXT", .time(9), "when it was first shown, in UTC; NULL: not yet"),
            Column("closed", "TEXT", .time(10), "when it ended, in UTC; NULL: it is open"),
            Column(
                "reason", "TEXT", .member(11), "why it was cancelled, or `abandoned` where it was not closed by anybody"
            ),
            Column("answers", "TEXT", .member(12), "what was answered, as JSON"),
            Column("uid", "INTEGER", .member(4), "the user of the machine"),
            .machine(.member(13)), .group(.member(14)),
            Column("planned", "TEXT", .nestedTime(15, "plannedAt"), "when it was to be ready as it came about, in UTC"),
            Column("notified", "TEXT", .nestedTime(15, "notifiedAt"), "when its first notification came up, in UTC"),
            Column("reminders", "INTEGER", .nested(15, "reminders"), "how often the person was reminded of it"),
            Column("last_reminder", "TEXT", .nestedTime(15, "lastReminderAt"), "when last, in UTC"),
            Column("snoozes", "INTEGER", .nested(15, "snoozes"), "how often the person put it off"),
            Column("put_off", "TEXT", .nested(15, "putOff"), "when it was put off, and until when, as JSON"),
            Column("opened", "TEXT", .nestedTime(15, "openedAt"), "when its questions were first seen, in UTC"),
            Column("first_answer", "TEXT", .nestedTime(15, "firstAnswerAt"), "when the first was answered, in UTC"),
            Column("answered", "TEXT", .nestedTime(15, "answeredAt"), "when all was answered, in UTC"),
            Column("surface", "TEXT", .nested(15, "surface"), Surface.allCases.map(\.rawValue).joined(separator: ", ")),
            Column("zone", "TEXT", .nested(15, "zone"), "the machine's time zone then"),
            Column("utc_offset", "INTEGER", .nested(15, "utcOffsetMinutes"), "minutes ahead of UTC"),
            Column("occasion", "TEXT", .nested(15, "occasion"), "of a prompt of a schedule: fixed, signal or interval"),
            Column("burst", "INTEGER", .nested(15, "burst"), "of a study, from 1 on"),
            Column("study_day", "INTEGER", .nested(15, "studyDay"), "from 1 on; 0: the rest of the day of joining"),
            Column("prompt_of_day", "INTEGER", .nested(15, "promptOfDay"), "from 1 on"),
            Column("study_group", "TEXT", .nested(15, "studyGroup"), "that the participant has joined with"),
            Column("variant", "TEXT", .nested(15, "variant"), "the wording, where the survey has variants"),
            Column("seconds", "REAL", .nested(15, "seconds"), "how long its questions were seen"),
            Column("items", "TEXT", .nested(15, "items"), "by question, seconds, changes and times, as JSON"),
            Column("revises", "TEXT", .member(16), "the showing whose answers it replaces"),
            Column(
                "properties", "TEXT", .member(17),
                "the properties of the event that triggered it, as JSON; each is a column as well"),
        ],
        members: [
            "presentationId", "surveyId", "state", "userId", "uid", "app", "sessionId", "triggerAt", "expiresAt",
            "presentedAt", "closedAt", "reason", "answers", "machine", "group", "times", "revises",
            "properties",
        ],
        properties: 17, identity: [0], number: nil,
        open: { feed, conditions, _ in
            guard let filters = ListFilters(conditions) else { return nil }
            return ListPages(feed, "presentations", filters.presentations)
        })

    static let answers = LiveTable(
        name: "answers", meaning: "answers to surveys, one row per answer; several choices have a row each",
        columns: [
            Column("survey", "TEXT", .member(3), "the survey", filter: .survey),
            Column("question", "TEXT", .member(0), "the id of the question"),
            Column("answer", "BLOB", .member(1), "the choice, the text or the number"),
            Column("time", "TEXT", .time(8), "when the survey was answered, in UTC; NULL: it is not yet"),
            Column("user", "TEXT", .member(4), "the user; NULL: anonymous", filter: .user),
            Column("app", "TEXT", .member(6), "the application", filter: .app),
            Column("session", "TEXT", .member(7), "the id of the session it belongs to"),
            Column("presentation", "TEXT", .member(2), "the id of the showing"),
            Column("uid", "INTEGER", .member(5), "the user of the machine"),
            .machine(.member(9)), .group(.member(10)),
        ],
        members: [
            "question", "answer", "presentationId", "surveyId", "userId", "uid", "app", "sessionId", "closedAt",
            "machine", "group",
        ],
        properties: nil, identity: [0, 1, 2], number: nil,
        open: { feed, conditions, _ in
            guard let filters = ListFilters(conditions) else { return nil }
            return AnswerRows(
                ListPages(feed, "presentations", filters.presentations))
        })
}

/// The answers of presentations, each as an object with members of its presentation.
private final class AnswerRows: RowSource {
    private let presentations: ListPages
    private var rows: ArraySlice<JSONText> = []

    init(_ presentations: ListPages) { self.presentations = presentations }

    func next() throws -> JSONText? {
        while true {
            if let row = rows.popFirst() { return row }
            guard let presentation = try presentations.next() else { return nil }
            var found: [JSONText] = []
            presentation.member("answers")?.forEachMember { question, answer in
                for one in answer.isArray ? answer.elements : [answer] {
                    var json = JSONWriter()
                    json.beginObject()
                    json.key("question")
                    json.raw([.quote] + question + [.quote])
                    json.key("answer")
                    json.raw(one.bytes)
                    json.members { $0.raw(presentation.bytes) }
                    json.endObject()
                    found.append(JSONText(json.bytes[...]))
                }
                return true
            }
            rows = found[...]
        }
    }
}
