import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Results that are counted from rows as they lie in the store, against those of presentations that were made of them.
@Suite struct CountedShowingTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)
    private static let questions = ["score", "größe", "why", "a \"quoted\" one", "back\\slash", "]["]

    private static func showing(_ number: Int, _ random: inout SplitMix64) -> Presentation {
        let created = start.adding(milliseconds: Int64(random.below(1_000_000_000)))
        let user = UserKey(uid: random.pick([1000, 1001]), userId: random.pick([nil, "ada", "bob", "👩🏽‍🔬"]))
        var showing = Presentation(
            id: Identifier(high: 7, low: UInt64(number)), survey: "s", user: user,
            app: random.pick(["default", "till"]),
            origin: Identifier(high: 8, low: UInt64(number)), createdAt: created,
            state: random.pick([.answered, .answered, .dismissed, .expired, .ready, .cancelled]), dueAt: created)
        showing.times.planned = random.pick([nil, created.adding(milliseconds: -5_000)])
        showing.locale = random.pick([nil, "de", "pt_BR"])
        let plans: [PropertyValue?] = [
            nil, .string("pro"), .string("3"), .integer(3), .double(3), .bool(true), .double(0.5),
        ]
        showing.trigger = Properties([("x", .integer(1))] + [random.pick(plans)].compactMap { $0.map { ("plan", $0) } })
        if !showing.state.isOpen { showing.closedAt = created.adding(milliseconds: Int64(random.below(100_000))) }
        guard !random.once(in: 5) else { return showing }
        showing.presentedAt = created.adding(milliseconds: 10)
        showing.times.surface = random.pick([nil, .window, .terminal, .kiosk])
        showing.times.zone = random.pick([nil, "Europe/Berlin"])
        if showing.state == .dismissed, random.once(in: 2) { showing.reason = "abandoned" }
        for question in questions where random.once(in: 2) {
            showing.times.change(question) { $0.shown = Int64(random.below(3)) * 1_500 }
        }
        var answers = Answers()
        for question in questions where random.once(in: 2) {
            answers[question] = random.pick([
                .choice(random.pick(["yes", "no"])), .choices(random.pick([["x"], ["x", "y"]])),
                .number(random.below(11)), .text(random.pick(["same", "text \(number)"])),
            ])
        }
        showing.times.note(answers, after: Answers(), at: created)
        showing.answers = answers
        return showing
    }

    private static let fields: [ResultField?] = [
        .locale, .surface, .zone, .app, .machine, .group, .property("plan"), .property("none"),
    ]

    private static func written(_ waves: SurveyWaves) -> String {
        var json = JSONWriter()
        waves.write(to: &json, survey: nil)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("are the same, whatever they are parted by", arguments: [nil] + fields)
    func same(_ field: ResultField?) throws {
        var random = SplitMix64(state: 3)
        let store = try StoreUnderTest()
        let showings = (0..<6_000).map { Self.showing($0, &random) }
        try store.commit(rows: showings.map { .survey(.putPresentation($0)) })
        for boundaries in [[], [0, 300_000_000, 700_000_000, 900_000_000]] {
            func waves() -> SurveyWaves {
                SurveyWaves(
                    survey: "s", by: field, boundaries: boundaries.map { Self.start.adding(milliseconds: Int64($0)) },
                    since: Self.start.adding(milliseconds: 1_000_000),
                    until: Self.start.adding(milliseconds: 990_000_000)
                )
            }
            let (counted, made) = (waves(), waves())
            var query = PresentationQuery()
            query.survey = "s"
            query.limit = 700
            var found = 0
            repeat {
                query.afterRow = try store.reader.addShowings(query, to: counted) { found += 1 }
            } while query.afterRow != nil
            #expect(found == showings.count)
            _ = try store.reader.forEachPresentation(PresentationQuery()) { showing, _ in made.add(showing) }
            #expect(Self.written(counted) == Self.written(made))
        }
    }
}
