import Foundation
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire

@testable import HarkDaemon
@testable import HarkLedger

/// Thirty days of people who use two apps and are asked: a daemon that serves, and a clock that is moved.
@DaemonActor
final class MadeUpMonth {
    private let fixture: DaemonFixture
    private let client: FixtureClient
    private var chance: UInt64

    /// A few; as many as `HARK_SIMULATED_MONTHS` says, to look for differences.
    nonisolated static let seeds: [UInt64] = {
        let count = ProcessInfo.processInfo.environment["HARK_SIMULATED_MONTHS"].flatMap { UInt64($0) }
        return count.map { Array(1...max($0, 1)) } ?? [3, 10, 11]
    }()

    nonisolated static let surveys = """
        {"globalCooldownSeconds":3600,"atMost":[{"count":6,"withinSeconds":604800}],
        "groups":{"scores":{"atMost":[{"count":1,"withinSeconds":432000}]}},
        "quietHours":[{"from":"22:00","until":"06:30"}],
        "surveys":[
        {"id":"nps","title":"N","message":"?","options":["Good","Bad"],"cooldownSeconds":172800,
         "repeatEverySeconds":345600,"trigger":{"event":{"name":"visit","scheduleAfterSeconds":90}}},
        {"id":"exports","title":"E","message":"?","options":["Good","Bad"],"oncePerSession":false,"priority":10,
         "groups":["scores"],"trigger":{"event":{"name":"export","scheduleAfterSeconds":30}},"cooldownSeconds":86400,"repeatEverySeconds":259200,
         "audience":{"events":[{"name":"export","withinSeconds":172800,"atLeast":2},
                               {"name":"crash","withinSeconds":3600,"never":true}]}},
        {"id":"big","title":"B","message":"?","options":["Good","Bad"],"oncePerSession":false,"maxAttempts":5,
         "expireAfterSeconds":7200,"groups":["scores"],"repeatEverySeconds":864000,
         "trigger":{"event":{"name":"buy","where":"amount > 50","scheduleAfterSeconds":600}},
         "cancelOn":[{"event":{"name":"undo"},"same":["order"]}]},
        {"id":"any-buy","title":"A","message":"?","options":["Good","Bad"],"rolloutPercent":60,"repeatEverySeconds":432000,
         "trigger":{"event":{"name":"buy"}},"quota":{"answers":12,"withinSeconds":604800}},
        {"id":"why","title":"W","message":"?","response":{"type":"text"},"oncePerSession":false,"cooldownSeconds":7200,
         "trigger":{"event":{"name":"survey_response","where":"option = Bad"}}},
        {"id":"counted","title":"C","message":"?","options":["Good"],"trigger":{"counters":"opens >= 3"}}
        ]}
        """

    init(_ fixture: DaemonFixture, seed: UInt64) throws {
        self.fixture = fixture
        client = try fixture.connect()
        chance = seed
    }

    private func draw(_ count: Int) -> Int {
        chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(chance >> 33) % count
    }

    /// Lets time pass; what falls due meanwhile is carried out at its moment, and what is ready waits from the moment at
    /// which quiet hours begin.
    func pass(seconds: Int) async throws {
        let end = fixture.clock.now.adding(milliseconds: Int64(seconds) * 1_000)
        while true {
            let (due, quiet) = (fixture.daemon.ledger.dueAt ?? .latest, Self.quietBegins(after: fixture.clock.now))
            guard min(due, quiet) <= end else { break }
            advance(to: min(due, quiet))
            try await carryOutWhatIsDue()
            guard fixture.clock.now == quiet else { continue }
            fixture.daemon.surveys.lookAtWhatIsReady()
            try await eventually("what is ready waits") { fixture.daemon.ledger.isSettled }
        }
        advance(to: end)
    }

    private func carryOutWhatIsDue() async throws {
        try await eventually("what is due is carried out") {
            fixture.daemon.surveys.lookAtClock()
            return fixture.daemon.ledger.isSettled
                && fixture.daemon.ledger.dueAt.map { $0 > fixture.clock.now } ?? true
        }
    }

    private func advance(to time: Timestamp) {
        let ahead = time.milliseconds - fixture.clock.now.milliseconds
        if ahead > 0 { fixture.clock.advance(seconds: Double(ahead) / 1_000) }
    }

    /// The next 22:00 by the local clock.
    private static func quietBegins(after time: Timestamp) -> Timestamp {
        let (day, begin) = (Int64(86_400_000), Int64(22 * 3_600_000))
        let local = time.milliseconds + LocalDay.offset(atMilliseconds: time.milliseconds)
        let next = local - local % day + begin
        return time.adding(milliseconds: (next > local ? next : next + day) - local)
    }

    func run(steps: Int) async throws {
        for _ in 0..<steps {
            try await pass(seconds: 1 + draw(2 * 30 * 86_400 / steps))
            let app = ["shop", "desk"][draw(2)]
            if draw(3) == 0 {
                let user = draw(12)
                // Somebody without a name comes, too.
                let who = user == 0 ? "" : #""userId":"user-\#(user)","#
                try await client.call("session.start", #"{\#(who)"app":"\#(app)"}"#)
                try await pass(seconds: 1)
            }
            if draw(20) == 0 {
                _ = try await client.ask("session.end", #"{"app":"\#(app)"}"#)
                try await pass(seconds: 1)
            }
            try await record(in: app)
            try await pass(seconds: [2, 45, 120, 900][draw(4)])
            if draw(4) != 0 { try await show(in: app) }
        }
    }

    private func record(in app: String) async throws {
        let order = draw(30)
        let (name, properties) = [
            ("visit", "{}"), ("visit", "{}"), ("export", #"{"format":"pdf"}"#), ("export", "{}"), ("crash", "{}"),
            ("buy", #"{"amount":\#(draw(120)),"order":\#(order)}"#), ("undo", #"{"order":\#(order)}"#), ("noise", "{}"),
            ("buy", #"{"amount":\#(60 + draw(120)),"order":\#(order)}"#),
        ][draw(9)]
        let unattended = draw(12) == 0 ? #","unattended":true"# : ""
        let past =
            draw(15) == 0
            ? #","timestamp":"\#(fixture.clock.now.adding(milliseconds: -86_400_000))""# : ""
        try await client.call(
            "event.record",
            #"{"app":"\#(app)","name":"\#(name)","properties":\#(properties)\#(unattended)\#(past)}"#)
    }

    /// Somebody looks at ready surveys, and answers them or not.
    private func show(in app: String) async throws {
        let shown = try await client.ask("survey.present", #"{"app":"\#(app)"}"#)
        guard let survey = shown["result"]?["survey"], let id = survey["presentationId"]?.stringValue else { return }
        try await pass(seconds: 3 + draw(200))
        switch draw(7) {
        case 6:
            let seconds = 600 + draw(20_000)
            _ = try await client.ask("survey.snooze", #"{"presentationId":"\#(id)","seconds":\#(seconds)}"#)
        case 0: _ = try await client.ask("survey.dismiss", #"{"presentationId":"\#(id)"}"#)
        case 1: _ = try await client.ask("survey.dismiss", #"{"presentationId":"\#(id)","for":"abandoned"}"#)
        case 2:
            // It stays there, until somebody else comes or it runs out.
            return
        default:
            let answer =
                survey["response"]?["type"] == "text" ? #""text":"so""# : #""option":"\#(["Good", "Bad"][draw(2)])""#
            _ = try await client.ask("survey.answer", #"{"presentationId":"\#(id)",\#(answer)}"#)
        }
    }
}

/// Reads the past as `hark simulate` does.
@DaemonActor
enum StoredLines {
    static func all(_ client: FixtureClient) async throws -> [String] {
        var found: [(at: Timestamp, kind: Int, line: String)] = []
        for session in try await elements("session.list", "sessions", #""limit":1000"#, client) {
            guard let at = session["startedAt"]?.stringValue.flatMap({ Timestamp($0) }) else { continue }
            found.append((at, 0, #"{"session":\#(session)}"#))
        }
        for showing in try await elements("survey.history", "presentations", #""allVersions":true"#, client) {
            guard let at = time(ofId: showing["presentationId"]) else { continue }
            found.append((at, 1, #"{"showing":\#(showing)}"#))
        }
        for event in try await elements("event.list", "events", #""limit":1000"#, client) {
            guard let at = time(ofId: event["id"]) else { continue }
            found.append((at, 2, #"{"event":\#(event)}"#))
        }
        let order = found.indices.sorted { (found[$0].at, found[$0].kind, $0) < (found[$1].at, found[$1].kind, $1) }
        return order.map { found[$0].line }
    }

    private static func time(ofId id: JSONValue?) -> Timestamp? { id?.stringValue.flatMap { Identifier($0)?.time } }

    private static func elements(
        _ method: String, _ list: String, _ more: String, _ client: FixtureClient
    ) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        var cursor = ""
        while true {
            let page = try await client.call(method, "{\(more)\(cursor)}")
            found += page[list]?.arrayValue ?? []
            if let next = page["next"]?.stringValue {
                cursor = #","after":"\#(next)""#
            } else if case .int(let next)? = page["nextAfterSeq"] {
                cursor = #","afterSeq":\#(next)"#
            } else {
                return found
            }
        }
    }
}
