import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Texts with values and questions with conditions, as methods tell them (K2, K3).
@Suite(.timeLimit(.minutes(45))) struct TextValueTests {
    private static let surveys = """
        {"surveys":[{"id":"s","piping":true,"private":true,"title":"For {event.amount:money EUR|you}","message":"{counter.opens} {flag.beta|off}",
        "questions":[{"id":"a","type":"single","question":"Which?","options":["One {event.shop}","Two"]},
        {"id":"b","type":"text","question":"Why {answer.a}?","when":"answer.a = Two and event.amount > 5"},
        {"id":"c","type":"text","question":"Else?","required":false}],
        "oncePerSession":false,"changeableSeconds":600,"trigger":{"event":{"name":"go"}}}]}
        """
    private static let event = #"{"name":"go","properties":{"amount":12.5,"shop":"<b>Bakery</b>"}}"#

    @Test("values of event, counter and flag are told as they were when it came, over a restart")
    func story() async throws {
        try await DaemonFixture.run(
            configuration: #"{"notify":null,"flags":{"file":"flags.json"}}"#, surveys: Self.surveys,
            flags: #"{"beta":"on"}"#
        ) { daemon in
            let client = try daemon.connect()
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await client.call("counter.register", #"{"name":"opens"}"#)
            try await client.call("counter.set", #"{"name":"opens","value":7}"#)
            try await daemon.restart()
            let next = try daemon.connect()
            try await next.call("event.record", Self.event)
            try await next.call("counter.set", #"{"name":"opens","value":8}"#)
            try await daemon.restart()
            let last = try daemon.connect()
            let shown = try await last.call("survey.present", #"{"surface":"window","locale":"de"}"#)["survey"]
            #expect(shown?["title"] == "For 12,50\u{A0}€" && shown?["message"] == "7 on", "\(shown ?? .null)")
            #expect(shown?["questions"]?[0]?["options"]?[0]?["label"] == "One <b>Bakery</b>")
            #expect(shown?["route"] == ["a"])
            let id = shown?["presentationId"]?.stringValue ?? ""
            func keep(_ answers: String) async throws -> JSONValue? {
                try await last.call(
                    "survey.answer", #"{"presentationId":"\#(id)","partial":true,"answers":\#(answers)}"#)[
                        "survey"]
            }
            let two = try await keep(#"{"a":"Two"}"#)
            #expect(two?["route"] == ["a", "b"] && two?["questions"]?[1]?["question"] == "Why Two?")
            #expect(try await keep(#"{"b":"because"}"#)?["route"] == ["a", "b", "c"])
            let one = try await keep(#"{"a":"One <b>Bakery</b>"}"#)
            #expect(one?["route"] == ["a", "c"] && one?["answers"]?["b"] == "because")
            let done = try await last.call("survey.answer", #"{"presentationId":"\#(id)"}"#)["survey"]
            #expect(done?["answers"] == ["a": "One {event.shop}"])
            let events = try await last.call("event.list", #"{"name":"survey_response"}"#)["events"]
            #expect(events?[0]?["properties"]?["title"] == "For 12,50\u{A0}€", "\(events ?? .null)")
            // The shown values are known for a change of the answers as well.
            let changed = try await last.call(
                "survey.change", #"{"presentationId":"\#(id)","answers":{"a":"Two","b":"now"}}"#)["survey"]
            #expect(changed?["answers"] == ["a": "Two", "b": "now"])
            // Also where the file says something else by then.
            try daemon.write(surveys: Self.surveys.replacing("For {", with: "About {"))
            try await last.call("daemon.reload")
            let newest = changed?["presentationId"]?.stringValue ?? ""
            try await last.call("survey.change", #"{"presentationId":"\#(newest)","answers":{"b":"later"}}"#)
            let all = try await last.call("event.list", #"{"name":"survey_response"}"#)["events"]?.arrayValue ?? []
            #expect(all.count == 3 && all.allSatisfy { $0["properties"]?["title"] == "For 12,50\u{A0}€" }, "\(all)")
        }
    }

    @Test("showings with other values are of one version, whose texts have the places")
    func versions() async throws {
        try await DaemonFixture.run(
            configuration: #"{"notify":null,"debug":{"bypassGating":true}}"#, surveys: Self.surveys
        ) { daemon in
            let client = try daemon.connect()
            for amount in 1...3 {
                try await client.call("event.record", #"{"name":"go","properties":{"amount":\#(amount)}}"#)
                let id = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
                try await client.call("survey.answer", #"{"presentationId":"\#(id)","answers":{"a":"Two"}}"#)
            }
            let told = try await client.call("survey.definitions", #"{"surveyId":"s"}"#)
            let versions = told["definitions"]?.arrayValue ?? []
            #expect(versions.count == 1 && versions[0]["count"] == 3, "\(told)")
            #expect(versions[0]["shown"]?["title"] == "For {event.amount:money EUR|you}")
            #expect(told["current"]?["piping"] == true)
            #expect(told["current"]?["questions"]?[1]?["when"] == "answer.a = Two and event.amount > 5")
        }
    }

    @Test("a private one tells its notification nothing, and the person everything")
    func notification() async throws {
        try await DaemonFixture.run(surveys: Self.surveys) { daemon in
            let folder = daemon.folder.path
            let hook = "cat > \(folder)/told; env > \(folder)/env; touch \(folder)/shown; sleep 60"
            try daemon.configure(#"{"notify":{"command":["sh","-c","\#(hook)"]}}"#)
            let client = try daemon.connect()
            try await client.call("daemon.reload")
            try await client.call("event.record", Self.event)
            try await eventually("the hook has read it") { FileManager.default.fileExists(atPath: folder + "/shown") }
            let told = try String(contentsOfFile: folder + "/told", encoding: .utf8)
            let environment = try String(contentsOfFile: folder + "/env", encoding: .utf8)
            #expect(told.contains(#""title":"For you""#) && environment.contains("HARK_TITLE=For you\n"), "\(told)")
            for text in [told, environment] { #expect(!text.contains("12") || !text.contains("12.50")) }
            #expect(!told.contains("Bakery") && !environment.contains("Bakery"))
            let pending = try await client.call("survey.pending")["surveys"]
            #expect(pending?[0]?["title"] == "For €12.50")
        }
    }

    @Test("a clear of the event's session takes the values, and an export of the person has them until then")
    func clearing() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { daemon in
            let client = try daemon.connect()
            let first = try await client.call("session.start", #"{"userId":"ada"}"#)["session"]?["id"]?
                .stringValue
            try await client.call("event.record", Self.event)
            try await client.call("session.start", #"{"userId":"ada"}"#)
            let shown = try await client.call("survey.present")["survey"]
            #expect(shown?["title"] == "For €12.50", "\(shown ?? .null)")
            let id = shown?["presentationId"]?.stringValue ?? ""
            try await client.call("survey.answer", #"{"presentationId":"\#(id)","answers":{"a":"One <b>Bakery</b>"}}"#)
            func exported() async throws -> String {
                try await client.call("user.export", #"{"userId":"ada"}"#).description
            }
            let before = try await exported()
            #expect(before.contains("For €12.50") && before.contains(#""event.shop":"<b>Bakery</b>""#), "\(before)")
            try await client.call("event.clear", #"{"sessionId":"\#(first ?? "")"}"#)
            let after = try await exported()
            #expect(!after.contains("Bakery") && after.contains(#""title":"For you""#), "\(after)")
        }
    }
}
