import Foundation
import HarkWire
import Testing

/// Surveys that are told of once more.
@Suite(.endToEnd) struct ReminderTests {
    @Test("the hook is run again as often as the file says, and after kill -9 not once more than that")
    func course() throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("visit", more: #","remindAfterSeconds":[0.2,0.4]"#)))
        let hook = try SurveyHook(in: scene.home, "true")
        try scene.home.configure(hook.configuration())
        var daemon = try scene.home.start()
        var client = try daemon.connect()
        try client.record("go")
        try waitUntil("it was told of three times") { hook.runs == 3 }
        daemon.kill()
        daemon = try scene.home.start()
        client = try daemon.connect()
        try waitUntil("the new run tells of it") { hook.runs == 4 }
        // What another survey would have brought has come by then.
        try client.record("go")
        try client.call("daemon.reload")
        #expect(try client.pending().map { $0["state"] } == ["ready"])
        #expect(hook.runs == 4)
        #expect(try client.surveyEvents() == [])
        #expect(daemon.child.isRunning)
    }
}
