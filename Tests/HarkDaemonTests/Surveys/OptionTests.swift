import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Other, an order by chance, and the form of a text, as methods tell them.
@Suite struct OptionTests {
    private static let surveys = """
        {"surveys":[{"id":"s","title":"t","message":"m","trigger":{"event":{"name":"go"}},"oncePerSession":false,
        "changeableSeconds":600,"questions":[
        {"id":"a","type":"multiple","question":"Which?","options":["1","2","3","4","5","6"],"other":true,"shuffle":true,
         "next":"c"},
        {"id":"b","question":"Never asked"},
        {"id":"c","question":"ZIP?","pattern":"[0-9]{5}","patternMessage":"Five digits"}]}]}
        """

    private static func values(_ question: JSONValue?) -> [String] {
        (question?["options"]?.arrayValue ?? []).compactMap { $0["value"]?.stringValue }
    }

    @Test("a showing has its order over a restart, Other its text, and a text its form")
    func story() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { daemon in
            let first = try daemon.connect()
            try await first.call("session.start", #"{"userId":"ada"}"#)
            try await first.call("event.record", #"{"name":"go"}"#)
            let pending = try await first.call("survey.pending")["surveys"]?[0]?["questions"]
            #expect(pending?.arrayValue?.map { $0["id"] } == ["a", "a.other", "b", "c"])
            let order = Self.values(pending?[0])
            #expect(order.sorted() == ["1", "2", "3", "4", "5", "6", "other"] && order.last == "other")
            try await daemon.restart()
            let client = try daemon.connect()
            let shown = try await client.call("survey.present", #"{"surface":"window"}"#)["survey"]
            #expect(Self.values(shown?["questions"]?[0]) == order)
            #expect(shown?["questions"]?[1]?["of"] == "a" && shown?["route"] == ["a"])
            let id = shown?["presentationId"]?.stringValue ?? ""
            func keep(_ answers: String) async throws -> JSONValue? {
                try await client.call(
                    "survey.answer", #"{"presentationId":"\#(id)","partial":true,"answers":\#(answers)}"#)["survey"]
            }
            #expect(try await keep(#"{"a":["6","other","1"]}"#)?["route"] == ["a", "a.other"])
            #expect(try await keep(#"{"a.other":"Seven"}"#)?["route"] == ["a", "a.other", "c"])
            let refusal = try await client.ask(
                "survey.answer", #"{"presentationId":"\#(id)","answers":{"c":"1234"}}"#)["error"]
            #expect(refusal?["data"]?["path"] == "$.params.answers.c", "\(refusal ?? .null)")
            #expect(refusal?["message"]?.stringValue?.hasSuffix("(pattern): Five digits") == true)
            let done = try await client.call(
                "survey.answer", #"{"presentationId":"\#(id)","answers":{"c":"12345"}}"#)["survey"]
            // In the order of the document, independent of the shown order.
            #expect(done?["answers"] == ["a": ["1", "6", "other"], "a.other": "Seven", "c": "12345"])
            let events = try await client.call("event.list", #"{"name":"survey_response"}"#)["events"]?.arrayValue
            #expect(events?.last?["properties"]?["answer.a.other"] == "Seven")
            let history = try await client.call("survey.history", #"{"surveyId":"s"}"#)["presentations"]?[0]
            #expect(history?["order"]?["a"]?.arrayValue?.compactMap(\.stringValue) == order, "\(history ?? .null)")
            let definition = try await client.call("survey.definitions", #"{"surveyId":"s"}"#)["definitions"]?[0]?[
                "shown"]
            #expect(Self.values(definition?["questions"]?[0]) == ["1", "2", "3", "4", "5", "6", "other"])
            let results = try await client.call("survey.results", #"{"surveyId":"s"}"#)
            #expect(results["questions"]?[0]?["answers"]?[6]?["value"] == "other")
            #expect(results["texts"]?.arrayValue?.contains { $0["questionId"] == "a.other" } == true)
            #expect(results["dropOff"]?.arrayValue?.map { $0["questionId"] } == ["a", "b", "c"])
            // Another choice takes the text with it, also where the file says something else by then.
            try daemon.write(surveys: Self.surveys.replacing("Which?", with: "Which ones?"))
            try await client.call("daemon.reload")
            let changed = try await client.call(
                "survey.change", #"{"presentationId":"\#(id)","answers":{"a":["2"]}}"#)["survey"]
            #expect(changed?["answers"] == ["a": ["2"], "c": "12345"], "\(changed ?? .null)")
        }
    }

    @Test("a form has an order for each user, and its Other a page of its own")
    func forms() async throws {
        let forms = """
            {"forms":[{"id":"f","title":"t","questions":[{"id":"a","type":"single","question":"Which?",
            "options":["1","2","3","4","5","6"],"other":"Else","shuffle":true},{"id":"b","question":"Why?"}]}]}
            """
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, forms: forms) { daemon in
            let client = try daemon.connect()
            func start(_ user: String) async throws -> JSONValue? {
                try await client.call("form.start", #"{"formId":"f","userId":"\#(user)"}"#)["form"]
            }
            let ada = try await start("ada")
            #expect(Self.values(ada?["questions"]?[0]) == Self.values(try await start("ada")?["questions"]?[0]))
            var orders: Set<[String]> = []
            for user in ["ada", "ben", "cleo", "dan"] {
                orders.insert(Self.values(try await start(user)?["questions"]?[0]))
            }
            #expect(orders.count > 1)
            let other = try await client.call(
                "form.answer", #"{"formId":"f","userId":"ada","questionId":"a","answer":"Else"}"#)["form"]
            #expect(other?["route"] == ["a", "a.other", "b"] && other?["progress"]?["total"] == 3, "\(other ?? .null)")
        }
    }
}
