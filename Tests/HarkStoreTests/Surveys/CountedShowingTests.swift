import Foundation
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Results that are counted from stored rows, and from their tallies, compared with results from presentations.
@Suite struct CountedShowingTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)
    private static let questions = ["score", "größe", "why", "a \"quoted\" one", "back\\slash", "]["]

    static func showing(_ number: Int, _ random: inout SplitMix64) -> Presentation {
        let created = start.adding(milliseconds: Int64(random.below(1_000_000_000)))
        let user = UserKey(uid: random.pick([1000, 1001, .max]), userId: random.pick([nil, "ada", "bob", "👩🏽‍🔬"]))
        var showing = Presentation(
            id: Identifier(high: 7, low: UInt64(number)), survey: random.pick(["s", "s", "s", "other"]), user: user,
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
                .number(ExactNumber(integerLiteral: Int32(random.below(11)))),
                .text(random.pick(["same", "text \(number)"])),
            ])
        }
        showing.times.note(answers, after: Answers(), at: created)
        showing.answers = answers
        return showing
    }

    private static let fields: [ResultField?] = [
        .locale, .surface, .zone, .app, .machine, .group, .property("plan"), .property("none"),
    ]

    private static func waves(_ field: ResultField? = nil, _ boundaries: [Int64] = []) -> SurveyWaves {
        SurveyWaves(
            survey: "s", by: field, boundaries: boundaries.map { start.adding(milliseconds: $0) },
            since: start.adding(milliseconds: 1_000_000), until: start.adding(milliseconds: 990_000_000))
    }

    private static func written(_ waves: SurveyWaves) -> String {
        let json = JSONWriter.object { waves.writeMembers(to: &$0, survey: nil) }
        return String(decoding: json, as: UTF8.self)
    }

    private static func query(uid: UInt32? = nil) -> PresentationQuery {
        var query = PresentationQuery()
        (query.survey, query.uid, query.limit) = ("s", uid, 700)
        return query
    }

    /// - Returns: The results from the store, in turns.
    private static func counted(_ store: StoreUnderTest, uid: UInt32? = nil, _ waves: SurveyWaves) throws -> String {
        var query = query(uid: uid)
        repeat { query.afterRow = try store.reader.addShowings(query, to: waves) {} } while query.afterRow != nil
        return written(waves)
    }

    /// - Returns: The results from presentations made of the rows.
    private static func made(_ store: StoreUnderTest, uid: UInt32? = nil, _ waves: SurveyWaves) throws -> String {
        var query = query(uid: uid)
        query.limit = .max
        _ = try store.reader.forEachPresentation(query) { showing, _ in waves.add(showing) }
        return written(waves)
    }

    /// - Returns: how many rows have a tally, and how many tallies there are.
    private static func tallied(_ store: StoreUnderTest) throws -> (rows: Int64, tallies: Int64) {
        let database = store.writer.database
        let rows = try database.integer(
            """
            SELECT count(*) FROM presentation p JOIN tally t
            ON t.survey = p.survey AND p.row BETWEEN t.first AND t.last
            """)
        return (rows ?? 0, try database.integer("SELECT count(*) FROM tally") ?? 0)
    }

    static func filled(_ count: Int, seed: UInt64) throws -> (StoreUnderTest, [Presentation]) {
        var random = SplitMix64(state: seed)
        let store = try StoreUnderTest()
        let showings = (0..<count).map { showing($0, &random) }
        try store.commit(rows: showings.map { .survey(.putPresentation($0)) })
        return (store, showings)
    }

    @Test("are the same, whatever they are parted by", arguments: [nil] + fields)
    func same(_ field: ResultField?) throws {
        let (store, _) = try Self.filled(2_000, seed: 3)
        for boundaries in [[], [0, 300_000_000, 700_000_000, 900_000_000]] as [[Int64]] {
            let wanted = try Self.made(store, Self.waves(field, boundaries))
            #expect(try Self.counted(store, Self.waves(field, boundaries)) == wanted)
            while try store.writer.catchUp() {}
            #expect(try Self.tallied(store).tallies > 0)
            #expect(try Self.counted(store, Self.waves(field, boundaries)) == wanted)
            // As one account sees them.
            #expect(
                try Self.counted(store, uid: 1001, Self.waves(field, boundaries))
                    == Self.made(store, uid: 1001, Self.waves(field, boundaries)))
            try store.writer.database.execute("DELETE FROM tally")
            store.writer.surveys.tallies.note(1_000)
        }
    }

    @Test("follow what is changed, closed and removed of rows that have a tally")
    func changes() throws {
        var random = SplitMix64(state: 11)
        let (store, showings) = try Self.filled(2_600, seed: 5)
        var left = showings
        var most: Int64 = 0
        for _ in 0..<10 {
            while try store.writer.catchUp() {}
            most = max(most, try Self.tallied(store).tallies)
            let place = random.below(left.count)
            var showing = left[place]
            switch random.below(5) {
            case 0:
                showing.state = .answered
                showing.closedAt = Self.start.adding(milliseconds: 20_000_000)
                try store.commit(rows: [.survey(.putPresentation(showing))])
            case 1:
                var newer = Self.showing(left.count + 10_000, &random)
                newer.revises = showing.id
                showing.revisedBy = newer.id
                try store.commit(rows: [.survey(.putPresentation(newer)), .survey(.putPresentation(showing))])
            case 2:
                let rows = (0..<random.below(600)).map { Int64(place + $0 + 1) }
                try store.commit(upkeep: [.removeShowings(rows, nil)])
            case 3:
                let user = random.pick(["ada", "bob"])
                guard random.once(in: 4) else { continue }
                try store.commit(rows: [
                    .survey(.remove(Selection(target: .user(user), uid: 1000, upToRow: .max), ended: []))
                ])
            default:
                try store.commit(
                    rows: (0..<300).map { .survey(.putPresentation(Self.showing(20_000 + left.count + $0, &random))) })
                left += (0..<300).map { _ in showing }
            }
            left[place] = showing
            #expect(try Self.counted(store, Self.waves(.app)) == Self.made(store, Self.waves(.app)))
        }
        #expect(most > 1)
    }

    @Test("do without a tally that cannot be read, and a store that is made anew without those of rows that are lost")
    func damage() throws {
        let (store, _) = try Self.filled(2_600, seed: 7)
        while try store.writer.catchUp() {}
        let wanted = try Self.made(store, Self.waves())
        let tallies = try Self.tallied(store).tallies
        for bytes in ["01", "02", "01ffffffff0f", "01010101", "010101010200000000"] {
            try store.writer.database.execute(
                "UPDATE tally SET data = x'\(bytes)' WHERE row = (SELECT row FROM tally ORDER BY row LIMIT 1 OFFSET 2)")
            #expect(try Self.counted(store, Self.waves()) == wanted)
        }
        try store.writer.database.execute(
            "UPDATE tally SET data = substr(data, 1, length(data) - 3) WHERE row % 2 = 0")
        #expect(try Self.counted(store, Self.waves()) == wanted)
        try store.reopen(isRebuild: true)
        #expect(try Self.tallied(store).tallies == tallies)
        #expect(try Self.counted(store, Self.waves()) == wanted)
    }

    @Test("leave nothing of a user in the file who is cleared")
    func cleared() throws {
        let (store, showings) = try Self.filled(3_000, seed: 9)
        var secret = try #require(showings.first { $0.survey == "s" && $0.state == .answered && $0.presentedAt != nil })
        secret.user = UserKey(uid: 1000, userId: "eve")
        secret.answers["why"] = .text("a word nobody else has written")
        try store.commit(rows: [.survey(.remove(Selection(target: .all, uid: nil, upToRow: .max), ended: []))])
        try store.commit(rows: showings.map { .survey(.putPresentation($0.id == secret.id ? secret : $0)) })
        store.writer.surveys.tallies.note(1_000)
        while try store.writer.catchUp() {}
        func tallies(with text: String) throws -> Int64? {
            try store.writer.database.integer(
                "SELECT count(*) FROM tally WHERE instr(data, CAST('\(text)' AS BLOB)) > 0")
        }
        #expect(try tallies(with: "a word nobody else has written") == 1)
        try store.commit(
            rows: [.survey(.remove(Selection(target: .user("eve"), uid: 1000, upToRow: .max), ended: []))])
        #expect(try tallies(with: "a word nobody else has written") == 0)
        try store.writer.scrub()
        for file in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: store.path + file))
            #expect(bytes.range(of: Data("a word nobody else has written".utf8)) == nil)
        }
    }
}

extension SurveyWaves {
    /// Adds a showing from its members, not from its row.
    fileprivate func add(_ showing: Presentation) {
        let isAbandoned = showing.state == .dismissed && showing.reason == Presentation.abandonedReason
        var kind = [UInt8(showing.state.rawValue), showing.presentedAt == nil ? 0 : isAbandoned ? 2 : 1]
        if showing.presentedAt != nil {
            var given = showing.answers
            for (id, answer) in given.members { if case .text = answer { given[id] = .text("") } }
            let answers = given.packed.bytes
            kind += [UInt8(answers.count & 255), UInt8(answers.count >> 8), 0, 0] + answers
            for item in showing.times.items where item.shown > 0 { kind += Array(item.question.utf8) + [0xFF] }
        }
        makeRoom(for: 1, bytes: kind.count)
        var user = showing.user.userId ?? ""
        let took = showing.presentedAt.flatMap { shown in
            showing.closedAt.map { $0.milliseconds - shown.milliseconds }
        }
        let value = showing.trigger.withBytes { trigger -> String? in
            self.value(
                locale: showing.locale, surface: showing.times.surface?.rawValue, zone: showing.times.zone,
                variant: showing.times.variant, app: showing.app, trigger: trigger, nil)
        }
        add(
            number(of: kind),
            Facts(
                time: showing.presentedAt ?? showing.times.planned ?? showing.dueAt, took: took,
                person: showing.state != .answered || user.isEmpty
                    ? nil : user.withUTF8 { ShowingRow.person(showing.user.uid, $0) },
                value: value)
        ) { showing.answers }
    }
}
