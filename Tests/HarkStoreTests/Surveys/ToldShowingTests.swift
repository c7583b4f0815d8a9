import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// The JSON of showings, from their rows and from presentations, compared with their members.
@Suite struct ToldShowingTests {
    private static func showing(_ number: Int, _ random: inout SplitMix64) -> Presentation {
        var showing = CountedShowingTests.showing(number, &random)
        let later = showing.createdAt.adding(milliseconds: 60_000)
        showing.session = random.pick([nil, Identifier(high: 9, low: UInt64(number))])
        showing.expiresAt = random.pick([nil, later])
        showing.changeableUntil = random.pick([nil, later])
        showing.revises = random.pick([nil, Identifier(high: 10, low: UInt64(number))])
        showing.revisedBy = random.pick([nil, nil, Identifier(high: 11, low: UInt64(number))])
        showing.reason = showing.reason ?? random.pick([nil, "muted", "ünused\n"])
        showing.shown = random.pick([[], Array(#"{"title":"A"}"#.utf8), Array(#"{"title":"B"}"#.utf8)])
        showing.times.notified = random.pick([nil, later])
        showing.times.reminders = Int64(random.below(3))
        showing.times.lastReminder = random.pick([nil, later])
        for _ in 0..<random.pick([0, 1, 3, ShowingTimes.mostDelays + 9]) {
            showing.times.noteDelay(at: showing.createdAt, until: later, isQuiet: random.below(2) == 0)
        }
        showing.times.opened = random.pick([nil, later])
        showing.times.offsetMinutes = random.pick([nil, -90, 0])
        showing.times.asleep = Int64(random.below(2)) * 2_500
        showing.trigger.append("name", .string(random.pick(["plain", "say \"ü\"", "back\\slash\u{1}"])))
        return showing
    }

    private static func wanted(_ delay: ShowingTimes.Delay) -> JSONValue {
        .object([
            "at": .string(delay.at.description), "until": .string(delay.until.description),
            "by": delay.isQuiet ? "quietHours" : "person",
        ])
    }

    /// The JSON for clients, made of the members one by one in the simplest way.
    private static func wanted(_ showing: Presentation, to viewer: UInt32) -> JSONObject {
        func time(_ time: Timestamp?) -> JSONValue? { time.map { .string($0.description) } }
        func seconds(_ milliseconds: Int64) -> JSONValue { .double(Double(milliseconds) / 1_000) }
        func only(_ isMeant: Bool, _ value: JSONValue) -> JSONValue? { isMeant ? value : JSONValue?.none }
        func object(_ members: [(String, JSONValue?)]) -> JSONObject {
            JSONObject(members.compactMap { key, value in value.map { (key, $0) } })
        }
        let times = showing.times
        let shown = times.items.reduce(0) { $0 + $1.shown }
        let items = times.items.map { item -> (String, JSONValue) in
            let parts = object([
                ("seconds", only(item.shown > 0, seconds(item.shown))), ("changes", .int(item.changes)),
                ("firstAt", time(item.firstAnswer)), ("lastAt", time(item.lastAnswer)),
            ])
            return (item.question, .object(parts))
        }
        let told = object([
            ("plannedAt", time(times.planned)), ("notifiedAt", time(times.notified)),
            ("reminders", only(times.reminders > 0, .int(times.reminders))),
            ("lastReminderAt", time(times.lastReminder)),
            ("snoozes", only(times.snoozes > 0, .int(times.snoozes))),
            ("putOff", only(!times.delays.isEmpty, .array(times.delays.map(wanted)))),
            ("openedAt", time(times.opened)),
            ("firstAnswerAt", time(times.firstAnswer)),
            ("answeredAt", showing.state == .answered ? time(showing.closedAt) : JSONValue?.none),
            ("surface", times.surface.map { .string($0.rawValue) }), ("zone", times.zone.map { .string($0) }),
            ("utcOffsetMinutes", times.offsetMinutes.map { .int($0) }),
            ("seconds", only(shown > 0, seconds(shown))), ("asleepSeconds", only(shown > 0, seconds(times.asleep))),
            ("items", only(!items.isEmpty, .object(JSONObject(items)))),
        ])
        let isKept = showing.reason == "muted" && viewer != showing.user.uid
        let isChangeable = showing.state == .answered && showing.revisedBy == nil
        return object([
            ("presentationId", .string(showing.id.description)), ("surveyId", .string(showing.survey)),
            ("state", .string(showing.state.word)), ("userId", showing.user.userId.map { .string($0) } ?? .null),
            ("uid", .int(Int64(showing.user.uid))), ("app", .string(showing.app)),
            ("sessionId", .string((showing.session ?? showing.origin).description)),
            ("triggerAt", time(showing.dueAt)), ("expiresAt", time(showing.expiresAt)),
            ("presentedAt", time(showing.presentedAt)), ("closedAt", time(showing.closedAt)),
            ("reason", (isKept ? "withdrawn" : showing.reason).map { .string($0) }),
            (
                "answers",
                only(
                    !showing.answers.isEmpty,
                    .object(JSONObject(showing.answers.members.map { ($0.id, $0.answer.value) })))
            ),
            ("revises", showing.revises.map { .string($0.description) }),
            ("revisedBy", showing.revisedBy.map { .string($0.description) }),
            ("changeableUntil", isChangeable ? time(showing.changeableUntil) : JSONValue?.none),
            ("times", only(times != ShowingTimes(), .object(told))),
            ("language", showing.locale.map { .string($0) }),
            ("version", only(!showing.shown.isEmpty, .string(ShownContents.version(of: showing.shown)))),
            (
                "properties",
                only(
                    !showing.trigger.isEmpty,
                    .object(JSONObject(showing.trigger.members.map { ($0.key, JSONValue($0.value)) })))
            ),
        ])
    }

    private static func text(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
        var json = JSONWriter()
        try body(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("each row tells what its presentation has, byte for byte", arguments: [1000, 1001])
    func rows(viewer: UInt32) throws {
        var random = SplitMix64(state: 21)
        let store = try StoreUnderTest()
        let showings = (0..<1_000).map { Self.showing($0, &random) }
        try store.commit(rows: showings.map { .survey(.putPresentation($0)) })
        var query = PresentationQuery()
        query.includesRevised = true
        var place = 0
        _ = try store.reader.forEachTold(query, to: viewer) { told in
            var json = JSONWriter()
            told.write(to: &json, version: { ShownContents.version(of: $0) })
            let wanted = Self.wanted(showings[place], to: viewer)
            #expect(String(decoding: json.bytes, as: UTF8.self) == Self.text { $0.object(wanted) })
            place += 1
        }
        #expect(place == showings.count)
    }

    @Test("a presentation that is no row tells the same")
    func presentations() {
        var random = SplitMix64(state: 22)
        for number in 0..<300 {
            let showing = Self.showing(number, &random)
            let told = Self.text {
                showing.told(to: 1001).write(to: &$0, version: { ShownContents.version(of: $0) })
            }
            #expect(told == Self.text { $0.object(Self.wanted(showing, to: 1001)) })
        }
    }

    @Test(
        "texts that are not UTF-8 are mended, and rows that cannot be read passed over and noted",
        arguments: [
            ("app = CAST(x'41ff' AS TEXT)", 0), ("answers = x'0263710002c3ff'", 1), ("times = x'01780002ff41'", 1),
            ("survey = x'41'", 0), ("app = 'ü'", 1), ("times = x'056974656d7300035b5b5d'", 0), ("state = 99", 0),
            ("id = x'00'", 0),
        ])
    func damage(_ change: String, _ told: Int) throws {
        var random = SplitMix64(state: 23)
        let store = try StoreUnderTest()
        var showing = Self.showing(1, &random)
        (showing.state, showing.presentedAt, showing.revisedBy) = (.answered, showing.createdAt, nil)
        try store.commit(rows: [.survey(.putPresentation(showing))])
        try store.writer.database.execute("UPDATE presentation SET \(change)")
        var lines: [String] = []
        _ = try store.reader.forEachTold(PresentationQuery(), to: 1000) { told in
            var json = JSONWriter()
            told.write(to: &json, version: { ShownContents.version(of: $0) })
            #expect(String(validating: json.bytes, as: UTF8.self) != nil)
            #expect(throws: Never.self) { try JSONDocument(json.bytes, .json) }
            lines.append(String(decoding: json.bytes, as: UTF8.self))
        }
        #expect(lines.count == told)
        #expect(store.reader.unreadable.all.count == 1 - told)
    }
}
