import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer
@testable import HarkSettings
@testable import HarkSimulation

/// T5: a simulation tells which surveys a file would have asked, and for the file in force which ones were really asked.
@Suite(.timeLimit(.minutes(45))) struct SimulationTests {
    private struct Outcome {
        var showings: [String] = []
        var tally: SimulationTally
    }

    private static func simulate(
        _ surveys: String, _ lines: [String], since: Timestamp = TestClock.start, until: Timestamp,
        answered: Double? = nil, seed: UInt64 = 1
    ) throws -> Outcome {
        let folder = try TemporaryFolder(inMemory: true)
        let (configuration, issues) = DocumentKind.surveys.read(Array(surveys.utf8))
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        var terms = SimulationTerms(since: since, until: until)
        (terms.answered, terms.seed) = (answered, seed)
        let simulation = try Simulation(try #require(configuration), terms, folder: folder.path)
        defer { simulation.close() }
        var told: [(Timestamp, String)] = []
        simulation.onShowing = { showing in
            let presentation = showing.presentation
            guard let presented = presentation.presentedAt else { return }
            let closed = presentation.closedAt.map { "\($0)" } ?? "open"
            let assumed = showing.real == nil ? " assumed" : ""
            told.append(
                (
                    presented,
                    "\(presentation.survey) \(presentation.user.userId ?? "-") \(presentation.app) \(presented) "
                        + "\(presentation.state.word) \(closed)\(assumed)"
                ))
        }
        var reader = SimulationReader()
        for line in lines {
            var bytes = Array(line.utf8)
            let count = bytes.count
            bytes += [UInt8](repeating: 0, count: JSONTape.padding)
            let read = try bytes.withUnsafeBufferPointer {
                try reader.read(UnsafeBufferPointer(rebasing: $0[..<count]))
            }
            switch read {
            case .session(let session)?: try simulation.take(session)
            case .showing(let showing)?: try simulation.take(showing)
            case .event(let event)?: try simulation.take(event)
            case .terms?, .end?, nil: break
            }
        }
        try simulation.finish()
        let sorted = told.indices.sorted { (told[$0].0, told[$0].1) < (told[$1].0, told[$1].1) }
        return Outcome(showings: sorted.map { told[$0].1 }, tally: simulation.tally)
    }

    /// The showings of the store, as `simulate` tells them.
    @DaemonActor
    private static func stored(_ lines: [String], since: Timestamp = TestClock.start) throws -> [String] {
        var told: [(Timestamp, String)] = []
        var reader = SimulationReader()
        for line in lines where line.hasPrefix(#"{"showing""#) {
            let bytes = Array(line.utf8) + [UInt8](repeating: 0, count: JSONTape.padding)
            let read = try bytes.withUnsafeBufferPointer {
                try reader.read(UnsafeBufferPointer(rebasing: $0[..<line.utf8.count]))
            }
            guard case .showing(let showing)? = read, let presented = showing.presentedAt, presented >= since else {
                continue
            }
            let closed = showing.closedAt.map { "\($0)" } ?? "open"
            let state = showing.state.isOpen ? "presented" : showing.state.word
            told.append(
                (
                    presented,
                    "\(showing.survey) \(showing.user.userId ?? "-") \(showing.app) \(presented) \(state) \(closed)"
                ))
        }
        return told.indices.sorted { (told[$0].0, told[$0].1) < (told[$1].0, told[$1].1) }.map { told[$0].1 }
    }

    /// A survey that was taken off the screen, and never shown again, is open in both; whether it is ready makes no difference.
    private static func withoutReady(_ showings: [String]) -> [String] {
        showings.map { showing in
            showing.hasSuffix(" open")
                ? showing.split(separator: " ").map { $0 == "ready" || $0 == "scheduled" ? "presented" : String($0) }
                    .joined(separator: " ") : showing
        }
    }

    /// Both lists must be the same; the first difference is reported with its neighbours.
    private static func compare(_ simulated: [String], _ real: [String]) {
        guard simulated != real else { return }
        let place = zip(simulated, real).prefix { $0 == $1 }.count
        let around = { (showings: [String]) in
            showings[min(max(place - 2, 0), showings.count)..<min(place + 4, showings.count)].joined(separator: "\n  ")
        }
        Issue.record(
            "of \(simulated.count) simulated, \(real.count) real showings number \(place):\n  \(around(simulated))\nreally\n  \(around(real))"
        )
    }

    @Test(
        "of the file that was in force it says what really happened, showing by showing",
        arguments: MadeUpMonth.seeds)
    func theSame(seed: UInt64) async throws {
        try await DaemonFixture.run(
            configuration: #"{"archive":false,"notify":null,"retention":"none"}"#, surveys: MadeUpMonth.surveys
        ) { fixture in
            let month = try MadeUpMonth(fixture, seed: seed)
            try await month.run(steps: 800)
            let lines = try await StoredLines.all(try fixture.connect())
            let until = fixture.clock.now.adding(milliseconds: 1)
            let expected = try Self.stored(lines)
            let outcome = try Self.simulate(MadeUpMonth.surveys, lines, until: until)
            let simulated = Self.withoutReady(outcome.showings)
            Self.compare(simulated, expected)
            #expect(expected.count > 60, "the month asks enough: \(expected.count)")
            for id in ["nps", "exports", "big", "any-buy", "why"] {
                let survey = try #require(outcome.tally.of(id))
                #expect(survey.shown > 0 && survey.shown == survey.real && survey.assumed == 0, "\(id): \(survey)")
            }
            let stopped = outcome.tally.surveys.reduce(into: [:]) { $0.merge($1.stopped) { $0 + $1 } }
            for check in ["oncePerSession", "cooldown", "globalCooldown", "audience", "rollout", "groups"] {
                #expect(stopped[check] ?? 0 > 0, "\(check) of \(stopped)")
            }

            // The second half alone: limits know the time before.
            let half = TestClock.start.adding(milliseconds: (until.milliseconds - TestClock.start.milliseconds) / 2)
            let second = try Self.simulate(MadeUpMonth.surveys, lines, since: half, until: until)
            Self.compare(Self.withoutReady(second.showings), try Self.stored(lines, since: half))
        }
    }

    @Test(
        "another file asks others: what has no counterpart is assumed, by rate and seed, and cooldowns hold for it too")
    func another() async throws {
        try await DaemonFixture.run(
            configuration: #"{"archive":false,"notify":null,"retention":"none"}"#, surveys: MadeUpMonth.surveys
        ) { fixture in
            let month = try MadeUpMonth(fixture, seed: 9)
            try await month.run(steps: 200)
            let lines = try await StoredLines.all(try fixture.connect())
            let until = fixture.clock.now.adding(milliseconds: 1)
            let file = """
                {"surveys":[{"id":"crashed","title":"C","message":"?","options":["Good"],"oncePerSession":false,
                "cooldownSeconds":86400,"trigger":{"event":{"name":"crash"}}},
                {"id":"late","title":"L","message":"?","options":["Good"],"oncePerSession":false,
                "trigger":{"event":{"name":"crash"}}},
                {"id":"nps","title":"N","message":"?","options":["Good"],
                "trigger":{"event":{"name":"visit","scheduleAfterSeconds":90000000}}}]}
                """
            let all = try Self.simulate(file, lines, until: until, answered: 1)
            let crashed = try #require(all.tally.of("crashed"))
            #expect(crashed.shown > 2 && crashed.assumed == crashed.shown && crashed.answered == crashed.shown)
            #expect(crashed.stopped["completion"] ?? 0 > 0)
            #expect(all.tally.of("late")?.taken[ExactName("crashed")] ?? 0 > 0)
            let nps = try #require(all.tally.of("nps"))
            #expect(nps.shown == 0 && nps.waiting > 0 && nps.real > 0, "the delay is longer than the month")
            #expect(all.tally.realOfOthers > 0)
            #expect(all.showings.allSatisfy { $0.hasSuffix(" assumed") })
            #expect(all.tally.users.values.reduce(0) { $0 + $1.shown } == all.showings.count)

            let none = try Self.simulate(file, lines, until: until, answered: 0)
            let ofNone = try #require(none.tally.of("crashed"))
            #expect(ofNone.answered == 0 && ofNone.dismissed == ofNone.shown && ofNone.shown >= crashed.shown)
            let some = try (1...3).map { try Self.simulate(file, lines, until: until, answered: 0.5, seed: $0) }
            #expect(some[0].showings != some[1].showings || some[1].showings != some[2].showings)
            #expect(try Self.simulate(file, lines, until: until, answered: 0.5).showings == some[0].showings)
        }
    }

    @Test("what counters brought about is taken as it was; imports, unknown sessions and an empty log are no obstacle")
    func edges() async throws {
        try await DaemonFixture.run(
            configuration: #"{"archive":false,"notify":null,"retention":"none","counters":{"opens":{}}}"#,
            surveys: MadeUpMonth.surveys
        ) { fixture in
            let client = try fixture.connect()
            let empty = try Self.simulate(MadeUpMonth.surveys, [], until: fixture.clock.now.adding(milliseconds: 1))
            #expect(empty.showings == [] && empty.tally.events == 0)

            try await client.call("session.start", #"{"userId":"ada","app":"shop"}"#)
            for _ in 0..<3 {
                fixture.clock.advance(seconds: 20_000)
                try await client.call("counter.trigger", #"{"name":"opens","app":"shop"}"#)
            }
            let shown = try await client.call("survey.present", #"{"app":"shop"}"#)["survey"]
            let id = try #require(shown?["presentationId"]?.stringValue)
            #expect(shown?["surveyId"] == "counted")
            fixture.clock.advance(seconds: 9)
            try await client.call("survey.answer", #"{"presentationId":"\#(id)","option":"Good"}"#)
            let lines = try await StoredLines.all(client)
            let until = fixture.clock.now.adding(milliseconds: 1_000)
            let strays = [
                #"{"event":{"id":"019a0000-0000-7000-8000-000000000001","name":"visit","timestamp":"2025-10-20T00:00:00Z","sessionId":"\#(try #require(shown?["sessionId"]?.stringValue))","properties":{}}}"#,
                #"{"event":{"id":"03bb2cc3-d800-7000-8000-000000000001","name":"visit","timestamp":"2100-01-02T00:00:00Z","sessionId":"019a0000-0000-7000-8000-000000000009","properties":{}}}"#,
            ]
            let outcome = try Self.simulate(MadeUpMonth.surveys, lines + strays, until: until)
            #expect(outcome.showings == (try Self.stored(lines)) && outcome.showings.count == 1)
            #expect(outcome.tally.of("counted")?.answered == 1)
            #expect((outcome.tally.outOfOrder, outcome.tally.withoutSession) == (1, 1))
        }
    }

    @Test("who dismissed a survey for ever is not asked it, also where the session of that is long gone")
    func mutedForEver() throws {
        let surveys = """
            {"surveys":[{"id":"visit","title":"V","message":"?","options":["Good"],"trigger":{"event":{"name":"visit"}}}]}
            """
        let start = TestClock.start
        let id = { (at: Timestamp) in
            Identifier(high: UInt64(at.milliseconds) << 16 | 0x7000, low: 0x8000_0000_0000_0001)
        }
        let (before, begun, visited) = (
            start.adding(milliseconds: -432_000_000), start.adding(milliseconds: 1_000),
            start.adding(milliseconds: 2_000)
        )
        let refusal = """
            {"event":{"id":"\(id(before))","name":"survey_dismissed","timestamp":"\(before)","sessionId":"\(id(before))",\
            "properties":{"id":"visit","for":"ever"},"source":{"uid":1000,"pid":1}}}
            """
        let rest = [
            #"{"session":{"id":"\#(id(begun))","userId":"ada","app":"shop","uid":1000,"startedAt":"\#(begun)","endedAt":null}}"#,
            #"{"event":{"id":"\#(id(visited))","name":"visit","timestamp":"\#(visited)","sessionId":"\#(id(begun))","properties":{}}}"#,
        ]
        let until = start.adding(milliseconds: 3_600_000)
        let asked = try #require(Self.simulate(surveys, rest, until: until).tally.of("visit"))
        #expect(asked.shown == 1 && asked.assumed == 1)
        let muted = try Self.simulate(surveys, [refusal] + rest, until: until).tally
        #expect(
            muted.of("visit")?.shown == 0 && muted.of("visit")?.stopped == ["muted": 1] && muted.withoutSession == 0)
    }

    @Test("lines that hark does not send are refused")
    func refused() throws {
        for line in [
            "", "{}", "[]", #"{"event":{}}"#, #"{"terms":{"since":"2026-01-02T00:00:00Z"}}"#, #"{"session":3}"#,
        ] {
            let bytes = Array(line.utf8) + [UInt8](repeating: 0, count: JSONTape.padding)
            var reader = SimulationReader()
            #expect(throws: WireError.self) {
                try bytes.withUnsafeBufferPointer {
                    _ = try reader.read(UnsafeBufferPointer(rebasing: $0[..<line.utf8.count]))
                }
            }
        }
    }

    @Test("steps come by their times, and those of one time in the order in which they were planned")
    func timeline() {
        var timeline = SimulationTimeline()
        let ids = (0..<200).map { Identifier(high: 0, low: UInt64($0)) }
        for (place, id) in ids.enumerated() {
            timeline.add(.present(id), at: Timestamp(milliseconds: Int64(place * 7_919 % 13)))
        }
        var order: [(Timestamp, UInt64)] = []
        while let at = timeline.earliest {
            guard case .present(let id)? = timeline.removeFirst() else { break }
            order.append((at, id.low))
        }
        #expect(order.count == ids.count && timeline.earliest == nil)
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 })
    }
}
