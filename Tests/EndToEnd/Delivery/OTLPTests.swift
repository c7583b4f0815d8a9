import Foundation
import HarkWire
import Testing

/// Deliveries to an OpenTelemetry collector, read with the protocol buffers that OpenTelemetry publishes.
@Suite(.endToEnd, .enabled(if: access("/usr/bin/protoc", X_OK) == 0)) struct OTLPTests {
    private let scene: DeliveryScene
    private let door: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        let top = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "EndToEnd" }.joined(separator: "/")
        let (schema, modules) = ("\(top)/Fixtures/otlp", scene.home.files.path("modules"))
        try check("mkdir") { mkdir(modules, 0o700) }
        let files = ["common/v1/common", "resource/v1/resource", "logs/v1/logs", "collector/logs/v1/logs_service"]
        let made = try Child.run(
            ["protoc", "--proto_path", schema, "--python_out", modules]
                + files.map { "\(schema)/opentelemetry/proto/\($0).proto" })
        guard made.ending == .exited(0) else { throw Failure("protoc: \(made.errors)") }
        door = try scene.receiver.door("otel", #""modules":"\#(modules)""#)
        try door.keepBodies()
    }

    private func attribute(_ record: JSONValue?, _ name: String) -> JSONValue? { record?["attributes"]?[name] }

    @Test(
        "OTLP: everything that is sent is what the published protocol buffers say, and says what was written",
        arguments: ["gzip", "none"])
    func content(_ compression: String) throws {
        try scene.home.files.write(SurveyScene.document(SurveyScene.plain("mood")), to: "config/surveys.json")
        try scene.home.configure(
            #"{"archive":false,"notify":null,"destinations":["#
                + DeliveryScene.otel(door, DeliveryScene.quick + #","compression":"\#(compression)""#) + "]}")
        try scene.start()
        let client = try #require(scene.client)
        let before = Int64(Date().timeIntervalSince1970 * 1_000)
        try client.call("session.start", #"{"app":"shop","userId":"ada","metadata":{"plan":"pro"}}"#)
        let text = #"ünï\u0000 \"quoted\" \\ \n🦉 \u2028"#
        let written = try client.call(
            "event.record",
            #"{"name":"🛒 checkout","app":"shop","properties":{"t":"\#(text)","least":-9223372036854775808,"#
                + #""most":9223372036854775807,"tenth":0.1,"huge":1.7976931348623157e308,"tiny":5e-324,"one":1.0,"#
                + #""yes":true,"no":false,"":"empty","a.b":"c"}}"#)
        for level in ["info", "warning", "error", "messages"] {
            try client.call(
                "log.write",
                #"{"message":"a \#(level) \#(text)","level":"\#(level)","app":"till","userId":"bob","metadata":{"code":"x","n":1}}"#
            )
        }
        try client.call("event.record", #"{"name":"go"}"#)
        let id = try client.call("survey.present")["survey"]?["presentationId"]?.text ?? ""
        try client.call("survey.answer", #"{"presentationId":"\#(id)","option":"Good"}"#)
        try client.call("session.end", #"{"app":"shop"}"#)
        let status = try client.wait(for: "otel", "everything is delivered") { $0.pending == 0 && $0.delivered >= 11 }
        #expect(status.dropped.isEmpty, "\(status)")
        let report = try door.report
        #expect(report.disorder.allSatisfy { $0[0] != "unreadable" }, "\(report.disorder)")
        #expect(report.header("Content-Type") == "application/json")
        #expect(report.header("Content-Encoding") == (compression == "gzip" ? "gzip" : nil))

        let records = try door.decoded
        #expect(records.count == status.delivered)
        #expect(records.allSatisfy { $0["scope"]?[0] == "hark" && $0["time"] == $0["observed"] })
        #expect(records.allSatisfy { attribute($0, "log.record.uid") != nil && attribute($0, "session.id") != nil })
        let event = records.first { $0["event"] == "🛒 checkout" }
        #expect(event?["body"] == "🛒 checkout")
        #expect(event?["resource"]?["service.name"] == ["string_value", "shop"])
        #expect(event?["resource"]?["host.name"] != nil)
        #expect(event?["severity"] == [9, "info"])
        #expect(attribute(event, "user.id") == ["string_value", "ada"])
        #expect(attribute(event, "log.record.uid")?[1] == written["id"])
        #expect(attribute(event, "session.id")?[1] == written["sessionId"])
        #expect(attribute(event, "hark.seq")?[1]?.stringValue == written["seq"]?.description)
        let nanoseconds = Int64(event?["time"]?.stringValue ?? "") ?? 0
        #expect(nanoseconds >= before * 1_000_000 && nanoseconds < (before + 60_000) * 1_000_000)
        let expected: [String: JSONValue] = [
            "t": ["string_value", "ünï\0 \"quoted\" \\ \n🦉 \u{2028}"],
            "least": ["int_value", "-9223372036854775808"], "most": ["int_value", "9223372036854775807"],
            "tenth": ["double_value", "0.1"], "huge": ["double_value", "1.7976931348623157e+308"],
            "tiny": ["double_value", "5e-324"], "one": ["double_value", "1.0"], "yes": ["bool_value", true],
            "no": ["bool_value", false], "": ["string_value", "empty"], "a.b": ["string_value", "c"],
        ]
        for (name, value) in expected { #expect(attribute(event, name) == value, "\(name)") }

        let logs = records.filter { $0["event"] == "" }
        #expect(logs.map { $0["severity"] } == [[9, "info"], [13, "warning"], [17, "error"], [9, "messages"]])
        #expect(logs[2]["body"]?.stringValue == "a error ünï\0 \"quoted\" \\ \n🦉 \u{2028}")
        #expect(logs.allSatisfy { attribute($0, "user.id") == ["string_value", "bob"] })
        #expect(
            logs.allSatisfy {
                attribute($0, "code") == ["string_value", "x"] && attribute($0, "n") == ["int_value", "1"]
            })
        let names = Set(records.compactMap { $0["event"]?.stringValue })
        #expect(
            names.isSuperset(of: ["session.started", "session.ended", "survey_presented", "survey_response", "go"]),
            "\(names)")
    }

    @Test("OTLP: what the protocol buffers do not know is found out by this check")
    func strictness() throws {
        let bodies = [
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","bodyy":{}}]}]}]}"#,
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":"loud"}]}]}]}"#,
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"a","value":{"intValue":1.5}}]}]}]}]}"#,
            #"{"resourceLogs":{}}"#,
        ]
        for (number, body) in bodies.enumerated() {
            let run = try Child.run([
                "curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--header",
                "Content-Type: application/json", "--data", body, "\(door.url)/v1/logs",
            ])
            #expect(run.output == "400", "\(body)")
            #expect(try door.report.disorder.count == number + 1)
        }
    }

    @Test("OTLP: thousands of records of several apps at once arrive whole")
    func mass() throws {
        try scene.configure(DeliveryScene.otel(door, DeliveryScene.quick + #","kinds":["log","event"]"#))
        try scene.start()
        var requests = ""
        for number in 0..<3_000 {
            requests +=
                #"{"id":1,"method":"event.record","params":{"name":"tick","app":"app\#(number % 3)","properties":{"w":"app\#(number % 3)","n":\#(number),"text":"\#(String(repeating: "ä", count: number % 500))"}}}"#
                + "\n"
        }
        try scene.client.send(requests)
        for _ in 0..<3_000 { _ = try scene.client.readLine() }
        try scene.wait(for: door, toHave: 3_000)
        let report = try door.report
        #expect(report.entries == 3_000 && report.disorder.isEmpty, "\(report)")
    }
}
