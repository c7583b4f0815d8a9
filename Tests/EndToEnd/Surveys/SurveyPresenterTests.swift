import Foundation
import HarkWire
import Testing

/// Who is shown what: users, sessions, presenters, restarts.
@Suite(.endToEnd) struct SurveyPresenterTests {
    private let scene: SurveyScene

    init() throws {
        scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("later", event: #"{"name":"soon","scheduleAfterSeconds":0.4}"#),
                SurveyScene.plain("now"), SurveyScene.plain("too", event: #"{"name":"too"}"#)))
    }

    @Test("S5: what one session scheduled is shown in the user's next one, after a kill -9, and never to another user")
    func nextSession() throws {
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        try client.record("soon")
        try client.startSession("ben")
        daemon.kill()

        let next = try scene.home.start()
        let watcher = try next.connect()
        try watcher.presentHere()
        let again = try next.connect()
        let ready = try again.waitForOne("ready")
        #expect(ready["userId"] == "ann")
        #expect(try again.ask("survey.present").reason == "notFound")
        for (method, more) in [("survey.present", ""), ("survey.answer", #","option":"Good""#)] {
            #expect(try again.ask(method, ready.params(more)).reason == "conflict")
        }
        #expect(try again.surveyEvents() == [])
        let session = try again.startSession("ann")
        let shown = try watcher.nextToPresent()
        #expect(shown["presentationId"] == ready["presentationId"] && shown["state"] == "presented")
        #expect(shown["sessionId"]?.stringValue == session)
        // The next user does not find it on the screen.
        try again.startSession("ben")
        try again.waitForOne("ready")
        #expect(try watcher.ask("survey.answer", shown.params(#","option":"Good""#)).reason == "conflict")
        #expect(try again.surveyEvents(#","userId":"ben""#) == [])
        try again.startSession("ann")
        try watcher.call("survey.answer", try watcher.nextToPresent().params(#","option":"Good""#))
        let names = try again.surveyEvents().map { $0["name"] }
        #expect(names == ["survey_presented", "survey_response"])
    }

    @Test("S5 S7: overdue on start: shown at once, one at a time, in the order in which they were due")
    func overdue() throws {
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        // At one moment, so that the delay makes the order.
        try client.send(
            ["soon", "go", "too"].map { #"{"id":1,"method":"event.record","params":{"name":"\#($0)"}}"# + "\n" }
                .joined())
        for _ in 0..<3 { #expect(try client.reply().result != nil) }
        daemon.kill()
        // They fall due while there is no daemon.
        pass(seconds: 0.45)
        let next = try scene.home.start()
        let presenter = try next.connect()
        let other = try next.connect()
        try presenter.presentHere()
        for survey in ["now", "too", "later"] {
            let shown = try presenter.nextToPresent()
            #expect(shown["surveyId"]?.stringValue == survey)
            let states = try other.pending().compactMap { $0["state"]?.stringValue }
            #expect(states.filter { $0 == "presented" }.count == 1, "\(states)")
            #expect(try other.ask("survey.present").reason == "notFound")
            try presenter.call("survey.dismiss", shown.params())
        }
        #expect(try other.pending() == [])
    }

    @Test("two answer at once: the first is taken, the second is told that it is closed")
    func race() throws {
        let daemon = try scene.home.start()
        let clients = try (0..<2).map { _ in try daemon.connect() }
        for client in clients { try client.presentHere() }
        for round in 0..<20 {
            try clients[0].startSession("user-\(round)")
            try clients[0].record("go")
            let shown = try clients[0].waitForOne("presented")
            let request = try shown.params(round % 2 == 0 ? #","option":"Good""# : "")
            let method = round % 2 == 0 ? "survey.answer" : "survey.dismiss"
            for client in clients { try client.send("{\"id\":\"r\",\"method\":\"\(method)\",\"params\":\(request)}\n") }
            let replies = try clients.map { try $0.reply() }
            #expect(replies.filter { $0.result != nil }.count == 1, "\(replies)")
            #expect(replies.compactMap(\.reason) == ["alreadyClosed"], "\(replies)")
        }
        let names = try clients[0].surveyEvents().compactMap { $0["name"]?.stringValue }
        #expect(names.filter { $0 == "survey_presented" }.count == 20)
        #expect(names.filter { $0 == "survey_response" }.count == 10)
        #expect(names.filter { $0 == "survey_dismissed" }.count == 10)
    }

    @Test("S7: a presenter that vanishes gives its survey back, which is not another attempt")
    func vanished() throws {
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        var presenter: SocketClient? = try daemon.connect()
        try presenter?.presentHere()
        try client.record("go")
        let shown = try presenter?.nextToPresent()
        presenter = nil
        let ready = try client.waitForOne("ready")
        #expect(ready["presentationId"] == shown?["presentationId"])

        // It goes to the presenter that is there next, and from one to the other.
        var second: SocketClient? = try daemon.connect()
        try second?.presentHere()
        #expect(try second?.nextToPresent()["presentationId"] == shown?["presentationId"])
        let third = try daemon.connect()
        try third.presentHere()
        second = nil
        let last = try third.nextToPresent()
        #expect(last["presentationId"] == shown?["presentationId"])
        try third.call("survey.answer", last.params(#","option":"Bad""#))
        #expect(try client.surveyEvents().map { $0["name"] } == ["survey_presented", "survey_response"])
        let results = try client.results("now")
        #expect(results["shown"] == 1 && results["answered"] == 1)
    }

    @Test("S9: with a presenter connected no hook runs; when it is gone, the hook does")
    func presenterInsteadOfHook() throws {
        let hook = try SurveyHook(in: scene.home, "")
        try scene.home.configure(hook.configuration())
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        var presenter: SocketClient? = try daemon.connect()
        try presenter?.presentHere()
        try client.record("go")
        let shown = try presenter?.nextToPresent()
        // A hook would have been started with the commit that made it ready, and a request later it would have run.
        try client.record("other")
        #expect(hook.runs == 0)
        presenter = nil
        try waitUntil("the hook runs") { hook.runs == 1 }
        #expect(try hook.input(0)["presentationId"] == shown?["presentationId"])
    }

    @Test("answers to what expired, was dismissed, is not due or never was are refused, and nothing is stored")
    func refusals() throws {
        try scene.write(
            SurveyScene.document(
                SurveyScene.plain("brief", more: #","expireAfterSeconds":0.3"#),
                SurveyScene.plain("other", event: #"{"name":"other"}"#),
                SurveyScene.plain("later", event: #"{"name":"soon","scheduleAfterSeconds":3600}"#)))
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        try client.record("go")
        let brief = try client.presentNext()
        try waitUntil("it has expired") { try client.pending() == [] }
        let late = try client.ask("survey.answer", brief.params(#","option":"Good""#))
        #expect(late.reason == "alreadyClosed" && late.message?.contains("expired") == true, "\(late)")
        try client.record("other")
        let dismissed = try client.presentNext()
        try client.call("survey.dismiss", dismissed.params())
        for method in ["survey.answer", "survey.present", "survey.snooze", "survey.dismiss"] {
            let more =
                method == "survey.snooze" ? #","seconds":1"# : method == "survey.answer" ? #","option":"Good""# : ""
            let refusal = try client.ask(method, dismissed.params(more))
            #expect(refusal.reason == "alreadyClosed" && refusal.message?.contains("dismissed") == true, "\(refusal)")
        }
        try client.record("soon")
        let early = try client.waitForOne("scheduled")
        for (method, more) in [("survey.answer", #","option":"Good""#), ("survey.present", "")] {
            #expect(try client.ask(method, early.params(more)).reason == "conflict")
        }
        let unknown = #"{"presentationId":"00000000-0000-4000-8000-000000000000","option":"Good"}"#
        #expect(try client.ask("survey.answer", unknown).reason == "notFound")
        let story = ["survey_presented", "survey_presented", "survey_dismissed"]
        #expect(try client.surveyEvents().compactMap { $0["name"]?.stringValue } == story)
    }

    @Test(
        "another user's survey is nobody else's: not in the session of somebody else, and not for another uid",
        .enabled(if: geteuid() == 0))
    func foreign() throws {
        try scene.write(SurveyScene.document(SurveyScene.plain("now")))
        scene.home.options = ["--system"]
        try check("chmod") { chmod(scene.home.files.path, 0o755) }
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        try client.record("go")
        let hers = try client.waitForOne("ready")
        try client.startSession("ben")
        let answer = #","option":"Good""#
        let refusal = try client.ask("survey.answer", hers.params(answer))
        #expect(refusal.reason == "conflict" && refusal.message?.contains("another user") == true, "\(refusal)")
        let stranger = try daemon.connect(uid: 65_533)
        try stranger.startSession("ann")
        for method in ["survey.answer", "survey.present", "survey.dismiss"] {
            let refusal = try stranger.ask(method, hers.params(method == "survey.answer" ? answer : ""))
            #expect(refusal.reason == "notFound", "\(refusal)")
        }
        #expect(try stranger.pending() == [])
        #expect(try client.surveyEvents() == [])
        try client.startSession("ann")
        try client.call("survey.answer", hers.params(answer))
        #expect(try client.results("now")["answered"] == 1)
        #expect(try stranger.results("now")["answered"] == 0)
    }

    @Test("two events in one write that both match bring one survey")
    func oneWrite() throws {
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        let line = #"{"id":"r","method":"event.record","params":{"name":"go"}}"# + "\n"
        let other = #"{"id":"r","method":"event.record","params":{"name":"soon"}}"# + "\n"
        try client.send(line + other + line + other)
        for _ in 0..<4 { #expect(try client.reply().result != nil) }
        #expect(try client.pending().map { $0["surveyId"] } == ["now", "later"])
    }

    @Test("an answer closes what waits of the survey for the same user elsewhere, and nobody else's")
    func answeredElsewhere() throws {
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        for (app, user) in [("desk", "ann"), ("shop", "ann"), ("lab", "ben")] {
            try client.startSession(user, app: app)
            try client.record("go", app: app)
        }
        // An old session of hers, in an app that somebody else is in now.
        try client.startSession("ann", app: "lounge")
        try client.record("soon", app: "lounge")
        try client.record("go", app: "lounge")
        try client.startSession("ben", app: "lounge")
        try client.call("survey.answer", try client.presentNext(app: "shop").params(#","option":"Good""#))
        let left = try client.pending().compactMap {
            "\($0["surveyId"]?.stringValue ?? "") \($0["userId"]?.stringValue ?? "")"
        }
        #expect(left.sorted() == ["later ann", "now ben"])
        let results = try client.results("now")
        #expect(results["answered"] == 1 && results["cancelled"] == 2 && results["shown"] == 1, "\(results)")
    }
}
