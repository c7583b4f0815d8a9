import Foundation
import HarkWire
import Testing

/// `kill -9` while surveys are scheduled, become due, are shown and answered: each is shown once, none is lost.
@Suite(.endToEnd) struct SurveyKillTests {
    private static let surveys = 200

    private let scene: SurveyScene

    init() throws {
        // What one run of the daemon schedules becomes due in this one or the ones after it.
        scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("quick", event: #"{"name":"visit-0","scheduleAfterSeconds":0.02}"#),
                SurveyScene.plain("short", event: #"{"name":"visit-1","scheduleAfterSeconds":0.4}"#),
                SurveyScene.plain("long", event: #"{"name":"visit-2","scheduleAfterSeconds":1.5}"#),
                SurveyScene.plain("now", event: #"{"name":"visit-3"}"#)),
            configuration: #"{"notify":null,"retention":"none"}"#)
    }

    @Test("S5 S7 S8: 200 scheduled surveys and kill -9 at random moments: each is shown once, none is lost or doubled")
    func kills() throws {
        let crowd = SurveyCrowd(Self.surveys)
        var daemon = try scene.home.start()
        for _ in 0..<30 {
            let work = try SurveyWork(crowd, on: daemon)
            pass(milliseconds: 5 ... .random(in: 10...600))
            daemon.kill()
            work.join()
            daemon = try scene.home.start()
            try check(crowd, on: daemon)
        }
        let work = try SurveyWork(crowd, on: daemon)
        try waitUntil("all are shown and closed: \(crowd)", within: 60) { crowd.isComplete }
        daemon.kill()
        work.join()
        daemon = try scene.home.start()
        try check(crowd, on: daemon)
        let client = try daemon.connect()
        #expect(try client.pending(#"{"limit":1000}"#) == [])
        let events = try self.events(client)
        #expect(events["survey_presented"]?.count == Self.surveys)
        #expect(Set(events["survey_presented"] ?? []).count == Self.surveys)
        #expect((events["survey_response"] ?? []).count + (events["survey_dismissed"] ?? []).count == Self.surveys)
    }

    /// The sessions of the survey events by name; each user has one session.
    private func events(_ client: SocketClient) throws -> [String: [String]] {
        try Dictionary(grouping: client.surveyEvents(), by: { $0["name"]?.stringValue ?? "" })
            .mapValues { $0.compactMap { $0["sessionId"]?.stringValue } }
    }

    private func check(_ crowd: SurveyCrowd, on daemon: DaemonProcess) throws {
        let client = try daemon.connect()
        let triggers = try client.call("event.list", #"{"name":"visit-*","limit":10000}"#)["events"]?.arrayValue ?? []
        let events = try self.events(client)
        let presented = events["survey_presented"] ?? []
        #expect(Set(presented).count == presented.count, "shown twice")
        let closed = (events["survey_response"] ?? []) + (events["survey_dismissed"] ?? [])
        #expect(Set(closed).count == closed.count, "closed twice")
        #expect(Set(closed).isSubset(of: presented))

        // Every recorded user has a showing in some state, and nobody else.
        var sum: [String: Int] = [:]
        for survey in ["quick", "short", "long", "now"] {
            let results = try client.results(survey)
            for name in ["shown", "answered", "dismissed", "scheduled", "ready", "presented", "expired", "cancelled"] {
                sum[name, default: 0] += Int(results[name]?.intValue ?? -1)
            }
        }
        let open = sum["scheduled"]! + sum["ready"]! + sum["presented"]!
        #expect(open + closed.count == triggers.count, "\(sum), \(triggers.count) recorded")
        #expect(sum["shown"] == presented.count && sum["answered"] == events["survey_response"]?.count ?? 0, "\(sum)")
        #expect(sum["dismissed"] == events["survey_dismissed"]?.count ?? 0, "\(sum)")
        #expect(sum["expired"] == 0 && sum["cancelled"] == 0, "\(sum)")
        let users = try client.pending(#"{"limit":1000}"#).compactMap { $0["userId"]?.stringValue }
        #expect(Set(users).count == users.count, "pending twice")
        let shownTo = Set(closed)
        let closedUsers = triggers.filter { shownTo.contains($0["sessionId"]?.stringValue ?? "") }
            .compactMap { $0["userId"]?.stringValue }
        #expect(Set(users).isDisjoint(with: closedUsers), "shown and pending")
        #expect(Set(users + closedUsers) == Set(triggers.compactMap { $0["userId"]?.stringValue }), "lost")

        // What was acknowledged holds.
        #expect(crowd.recorded.isSubset(of: triggers.compactMap { $0["userId"]?.stringValue }))
        #expect(crowd.closed.isSubset(of: closedUsers))
        crowd.note(recorded: Set(triggers.compactMap { $0["userId"]?.stringValue }), closed: Set(closedUsers))
    }
}
