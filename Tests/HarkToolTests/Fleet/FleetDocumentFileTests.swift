import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// The kind of a pushed document, and the messages about its faults.
@Suite struct FleetDocumentFileTests {
    @Test(
        "what a document has a list of says what it is about, else its name does",
        arguments: [
            (#"{"surveys": []}"#, "a.json", .surveys), ("// mine\n{forms: [],}", "surveys.json", .forms),
            (#"{"new_checkout": true}"#, "/etc/flags.json", .flags), (#"{"surveys": true}"#, "-", nil),
            ("{", "dir/surveys.json", .surveys), ("{", "forms.json5", .forms), ("{}", "my-flags.json", nil),
            ("{", "-", nil),
        ] as [(String, String, FleetDocumentKind?)])
    func kinds(_ text: String, _ path: String, _ expected: FleetDocumentKind?) {
        #expect(FleetDocumentFile.kind(of: Array(text.utf8), named: path) == expected)
    }

    @Test("findings have file, line and column, and the path of what is not the whole")
    func lines() {
        let issues = IssueInfo.list(
            JSONText(
                #"[{"path":"$.surveys[0].id","message":"must be a text","line":3,"column":5},{"path":"$","message":"empty"}]"#
            ))
        let file = FleetDocumentFile(path: "surveys.json", kind: .surveys, text: "")
        #expect(
            file.lines(issues, "error")
                == ["surveys.json:3:5: error: $.surveys[0].id: must be a text", "surveys.json: error: empty"])
        #expect(
            FleetDocumentFile(path: "-", kind: .flags, text: "").lines(issues, "warning")[1]
                == "standard input: warning: empty")
    }

    @Test("only a hub has documents for others")
    func hubs() throws {
        func ask(_ status: String) throws {
            let daemon = MadeUpDaemon { _, _ in .result(status) }
            var connection = Connection(adopting: daemon.descriptor)
            try FleetPush.requireHub(&connection)
        }
        try ask(#"{"role":"hub","fleet":"shop"}"#)
        for status in [#"{"role":"machine","fleet":"shop"}"#, #"{"role":null}"#] {
            let error = #expect(throws: ToolError.self) { try ask(status) }
            #expect(error?.exit == .configuration && error?.hint != nil)
        }
    }

    @Test("a kind that there is not is told with the nearest")
    func unknown() {
        #expect(throws: ToolError.usage("there are no 'survey' to push", hint: "Did you mean 'surveys'?")) {
            try FleetPush.kind("survey")
        }
    }
}
