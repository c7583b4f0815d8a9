import Foundation
import HarkWire
import Testing

/// The times of showings on a desktop of their own, over all that may come between (row R2).
@Suite(
    .endToEnd,
    .enabled(if: Desktop.isPossible && Desktop.hasStandIns, "there are no Xvfb, dunst, notify-send or python3-dbusmock")
)
struct ShowingStoryTests {
    /// On a busy machine a reminder may come before the first notification is known to be on the screen.
    private static let orders = [
        ["plannedAt", "notifiedAt", "openedAt", "firstAnswerAt", "answeredAt"],
        ["plannedAt", "lastReminderAt", "openedAt"],
    ]

    @Test("R2: a locked screen, a reminder, a kill while it is open, and a notification that nobody minds")
    func story() throws {
        let desktop = try Desktop()
        try desktop.startLogind()
        try desktop.setHint("LockedHint", true)
        let scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("visit", more: #","remindAfterSeconds":[1]"#),
                SurveyScene.plain("other", more: #","expireAfterSeconds":4"#, event: #"{"name":"other"}"#)),
            configuration: "{}")
        scene.home.prefix = ["env"] + desktop.environment.map { "\($0.key)=\($0.value)" }
        var daemon = try scene.home.start()
        var client = try daemon.connect()
        try client.record("go")
        try waitUntil("logind is asked") { try desktop.askedOfLogind.contains(" GetSession \"auto\"") }
        pass(seconds: 0.5)
        var times = try Self.times(client, "visit")
        #expect(times["plannedAt"] != nil && times["notifiedAt"] == nil, "\(times)")
        try desktop.setHint("LockedHint", false)
        try desktop.waitForNotification(try daemon.errors)
        try waitUntil("it is told of again; \((try? daemon.errors) ?? "")") {
            let times = try Self.times(client, "visit")
            return times["reminders"]?.intValue == 1 && times["notifiedAt"] != nil
        }
        try client.call("survey.present", #"{"surface":"window"}"#)
        daemon.kill()
        daemon = try scene.home.start()
        client = try daemon.connect()
        let shown = try client.call("survey.present", #"{"surface":"window"}"#)["survey"] ?? .null
        try client.call("survey.answer", try shown.params(#","option":"Good""#))
        times = try Self.times(client, "visit")
        for order in Self.orders {
            let found = order.map { times[$0]?.stringValue ?? "" }
            #expect(found == found.sorted() && !found.contains(""), "\(times)")
        }
        #expect(times["reminders"] == 1 && times["surface"] == "window" && times["seconds"] != nil, "\(times)")

        try client.record("other")
        try waitUntil("nobody minds it") { try client.pending().isEmpty }
        times = try Self.times(client, "other")
        #expect(times["notifiedAt"] != nil && times["openedAt"] == nil && times["answeredAt"] == nil, "\(times)")
        let table = try scene.home.hark(
            "sql", "--csv",
            "SELECT survey, state, notified < opened AS told, reminders FROM presentations ORDER BY survey")
        #expect(table.output == "survey,state,told,reminders\r\nother,expired,,\r\nvisit,answered,1,1\r\n")
        let rows = try scene.home.hark("answers", "other", "--csv").output.components(separatedBy: "\r\n")
        #expect(rows.count == 3 && rows[1].contains(",expired,"), "\(rows)")
        #expect(daemon.child.isRunning)
    }

    private static func times(_ client: SocketClient, _ survey: String) throws -> JSONValue {
        let all = try client.call("survey.history")["presentations"]?.arrayValue ?? []
        return all.first { $0["surveyId"]?.stringValue == survey }?["times"] ?? .null
    }
}
