import Foundation
import HarkWire
import Testing

/// The example configurations from the event to the answer.
@Suite(.endToEnd) struct ExampleSurveyTests {
    private static let spring = #"{"amount":60,"coupon":"X","utm":"late-spring"}"#

    @Test("S1 S8: a choice, from the event to the answer, with the events of its session exactly")
    func choice() throws {
        let scene = try SurveyScene(try SurveyScene.example("checkout.json"))
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        let listed = try client.call("survey.list")
        #expect(listed["surveys"]?.arrayValue?.map { $0["surveyId"] } == ["checkout_rating", "checkout_words"])
        #expect(listed["problems"] == [])
        let session = try client.startSession("ann")
        try client.record("checkout_success", #"{"amount":50,"coupon":"X","utm":"spring"}"#)
        try client.record("checkout_success", #"{"amount":60,"utm":"spring"}"#)
        try client.record("checkout_success", #"{"amount":60,"coupon":"X","utm":"Spring"}"#)
        #expect(try client.pending() == [])
        try client.record("checkout_success", Self.spring)
        try client.record("checkout_success", Self.spring)
        let ready = try client.waitForOne("ready")
        #expect(ready["surveyId"] == "checkout_rating" && ready["userId"] == "ann")
        #expect(ready["sessionId"]?.stringValue == session && ready["app"] == "default")
        #expect(ready["title"] == "One quick question" && ready["message"] == "How was paying today?")
        #expect(ready["response"] == ["type": "options", "options": ["Great", "Okay", "Poor"]])
        #expect(try client.surveyEvents() == [])

        let shown = try client.presentNext()
        #expect(shown["state"] == "presented" && shown["presentedAt"]?.stringValue != nil)
        let presented: JSONValue = ["id": "checkout_rating", "responseType": "choice", "debugMode": false]
        #expect(try client.surveyEvents().map { $0["properties"] } == [presented])
        let answered = try client.call("survey.answer", shown.params(#","option":"Okay""#))["survey"]
        #expect(answered?["state"] == "answered" && answered?["closedAt"]?.stringValue != nil)
        let events = try client.surveyEvents()
        #expect(events.map { $0["name"] } == ["survey_presented", "survey_response"])
        #expect(events.allSatisfy { $0["sessionId"]?.stringValue == session && $0["userId"] == "ann" })
        #expect(
            events.last?["properties"] == [
                "id": "checkout_rating", "type": "choice", "option": "Okay", "title": "One quick question",
                "message": "How was paying today?",
            ])
        #expect(try client.pending() == [])
        #expect(try client.ask("survey.answer", shown.params(#","option":"Poor""#)).reason == "alreadyClosed")
        #expect(try client.ask("survey.dismiss", shown.params()).reason == "alreadyClosed")
        #expect(try client.surveyEvents().count == 2)
    }

    @Test("S6: what was answered does not come again: not in the session, not in the next, not after a restart")
    func completion() throws {
        let scene = try SurveyScene(try SurveyScene.example("checkout.json"))
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        try client.record("checkout_success", Self.spring)
        try client.call("survey.answer", try client.presentNext().params(#","option":"Great""#))
        try client.record("checkout_success", Self.spring)
        try client.startSession("ann")
        try client.record("checkout_success", Self.spring)
        #expect(try client.pending() == [])
        daemon.kill()
        let next = try scene.home.start()
        let again = try next.connect()
        try again.record("checkout_success", Self.spring)
        #expect(try again.pending() == [])
        #expect(try again.failedChecks("checkout_rating").contains("completion"))
        // Somebody else has not answered.
        try again.startSession("ben")
        try again.record("checkout_success", Self.spring)
        try again.waitForOne("ready")
        #expect(try again.results("checkout_rating")["answered"] == 1)
        #expect(try again.call("survey.reset", #"{"userId":"ann"}"#)["reset"] == 1)
        try again.startSession("ann")
        try again.record("checkout_success", Self.spring)
        try again.waitForOne("ready", #"{"userId":"ann"}"#)
    }

    @Test("S6: once a session means the event session, over a restart too, and the cooldown goes on after it")
    func dismissal() throws {
        let scene = try SurveyScene(try SurveyScene.example("checkout.json"))
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        let session = try client.startSession("ann")
        try client.record("checkout_success", Self.spring)
        let shown = try client.presentNext()
        let closed = try client.call("survey.dismiss", shown.params())["survey"]
        #expect(closed?["state"] == "dismissed")
        #expect(try client.ask("survey.dismiss", shown.params()).reason == "alreadyClosed")
        #expect(
            try client.surveyEvents().map { $0["properties"] } == [
                ["id": "checkout_rating", "responseType": "choice", "debugMode": false],
                ["id": "checkout_rating", "responseType": "choice", "for": "once"],
            ])
        #expect(try client.surveyEvents().last?["name"] == "survey_dismissed")
        try daemon.stop()
        let next = try scene.home.start()
        let again = try next.connect()
        #expect(try again.call("session.current")["session"]?["id"]?.stringValue == session)
        try again.record("checkout_success", Self.spring)
        #expect(try again.pending() == [])
        #expect(try again.failedChecks("checkout_rating") == ["oncePerSession", "cooldown"])
        try again.startSession("ann")
        try again.record("checkout_success", Self.spring)
        #expect(try again.pending() == [])
        #expect(try again.failedChecks("checkout_rating") == ["cooldown"])
    }

    private static let refusedTexts: [(member: String, why: String, path: String)] = [
        (#""text":"four""#, "minLength", "$.params.text"),
        (#""text":"   four  \n""#, "minLength", "$.params.text"),
        (#""text":"👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦""#, "minLength", "$.params.text"),
        (#""text":" \n\t ""#, "empty", "$.params.text"), (#""text":"""#, "empty", "$.params.text"),
        ("\"text\":\"\(String(repeating: "é", count: 501))\"", "maxLength", "$.params.text"),
        (#""text":12345"#, "must be a string", "$.params.text"),
        (#""option":"Great""#, "takes no 'option'", "$.params.option"),
        (#""answers":{"colour":"red"}"#, "colour", "$.params.answers.colour"),
    ]

    @Test(
        "S2: an answer that breaks a rule is refused with the rule, nothing is stored, and a good one is taken after it"
    )
    func rules() throws {
        let scene = try SurveyScene(try SurveyScene.example("checkout.json"))
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        try client.record("checkout_success", #"{"amount":100.5}"#)
        let shown = try client.presentNext()
        #expect(shown["surveyId"] == "checkout_words")
        for (member, why, path) in Self.refusedTexts {
            let reply = try client.ask("survey.answer", shown.params(",\(member)"))
            #expect(reply.reason == "invalidParams" && reply.path == path, "\(member): \(reply)")
            #expect(reply.message?.contains(why) == true, "\(member): \(reply)")
        }
        #expect(try client.ask("survey.answer", shown.params()).reason == "invalidParams")
        #expect(try client.surveyEvents().count == 1)
        // 500 as a person counts, some thousands of bytes.
        let longest = String(repeating: "👍🏽", count: 500)
        try client.call("survey.answer", shown.params(#","text":"  \#(longest)\n""#))
        #expect(try client.surveyEvents().last?["properties"]?["text"]?.stringValue == longest)
        #expect(try client.surveyEvents().last?["properties"]?["type"] == "text")
    }

    @Test(
        "S2 S8: a choice with a text, after its delay",
        arguments: [
            (
                #","option":"Excellent","text":" Really | enjoyed it ""#,
                ["text": "Excellent||Really | enjoyed it", "option": "Excellent", "comment": "Really | enjoyed it"]
            ),
            (#","option":"Good""#, ["text": "Good", "option": "Good"]),
            (#","option":"Good","text":"  ""#, ["text": "Good", "option": "Good"]),
        ] as [(String, [String: JSONValue])])
    func combined(answer: String, parts: [String: JSONValue]) throws {
        let scene = try SurveyScene(try SurveyScene.example("visit.json", delay: 0.3))
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        let before = Date()
        try client.record("visit_completed", #"{"notifications_enabled":false}"#)
        let scheduled = try client.pending()
        #expect(scheduled.map { $0["surveyId"] } == ["visit-feedback"])
        let ready = try client.waitForOne("ready")
        #expect(Date().timeIntervalSince(before) >= 0.3)
        #expect(ready["presentationId"] == scheduled[0]["presentationId"])
        #expect(
            ready["notification"] == [
                "title": "A quick survey", "body": "Help us make the next visit better!", "sound": true,
            ])
        let shown = try client.presentNext()
        for (wrong, why) in [
            ("", "option"), (#","option":"Superb""#, "'Poor'"), (#","text":"no choice""#, "option"),
            (#","option":"Good","text":"\#(String(repeating: "x", count: 501))""#, "maxLength"),
            (#","option":7"#, "option"),
        ] {
            let reply = try client.ask("survey.answer", shown.params(wrong))
            #expect(reply.reason == "invalidParams" && reply.message?.contains(why) == true, "\(wrong): \(reply)")
        }
        try client.call("survey.answer", shown.params(answer))
        let events = try client.surveyEvents()
        #expect(events.map { $0["name"] } == ["survey_presented", "survey_response"])
        #expect(events[0]["properties"] == ["id": "visit-feedback", "responseType": "combined", "debugMode": false])
        var expected: JSONObject = [
            "id": "visit-feedback", "type": "text", "title": "How was your visit?",
            "message": "Tell us what you think!",
        ]
        for (name, value) in parts { expected[name] = value }
        #expect(events[1]["properties"] == .object(expected))
        // The first rule is done with; the second one's turn comes for those without notifications.
        try client.record("visit_completed", #"{"notifications_enabled":true}"#)
        #expect(try client.pending() == [])
        try client.record("visit_completed", #"{"notifications_enabled":false}"#)
        #expect(try client.waitForOne("ready")["surveyId"] == "visit-without-notifications")
    }

    @Test("S10: the delay of an example as it is, made short by the debug mode, at run time and by the settings")
    func debugDelay() throws {
        let scene = try SurveyScene(try SurveyScene.example("visit.json"))
        var daemon = try scene.home.start()
        var client = try daemon.connect()
        try client.call("debug.set", #"{"scheduleDelaySeconds":0.1}"#)
        try client.startSession("ann")
        try client.record("visit_completed")
        try client.waitForOne("ready")
        let shown = try client.presentNext()
        #expect(try client.surveyEvents().last?["properties"]?["debugMode"] == true)
        try client.call("survey.dismiss", shown.params())
        try scene.home.configure(#"{"notify":null,"debug":{"bypassGating":true,"scheduleDelaySeconds":0.2}}"#)
        try daemon.stop()
        daemon = try scene.home.start()
        client = try daemon.connect()
        try client.record("visit_completed")
        try client.waitForOne("ready")
        try client.call("survey.dismiss", try client.presentNext().params())
        try client.call("debug.set", #"{"preset":"production"}"#)
        try client.record("visit_completed")
        #expect(try client.pending() == [])
        #expect(try client.failedChecks("visit-feedback").contains("oncePerSession"))
    }
}
