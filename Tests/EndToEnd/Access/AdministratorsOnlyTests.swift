import Foundation
import HarkWire
import Testing

/// D3: what stands in the machine's settings, and how the machine's daemon is doing, is for its administrators.
@Suite(.endToEnd, .enabled(if: geteuid() == 0)) struct AdministratorsOnlyTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let root: SocketClient
    private let member: SocketClient
    private let ada: SocketClient
    private static let adaUID: UInt32 = 65_534
    private static let administrators: UInt32 = 4

    init() throws {
        home = try DaemonHome()
        home.options = ["--system"]
        try check("chmod") { [home] in chmod(home.files.path, 0o755) }
        try home.configure(
            """
            {"notify": {"command": ["/bin/true", "the-password"]},
             "executions": [{"id": "tell", "listensTo": ["opens"], "run": {"exec": ["/nonexistent/the-password"]},
                "keepAlive": true}],
             "surveys": {"file": "the-password.json"}, "forms": {"file": "the-password-forms.json"},
             "flags": {"file": "the-password-flags.json"},
             "destinations": [{"name": "core", "kind": "http", "url": "http://127.0.0.1:9/the-password"}]}
            """)
        for (name, text) in [
            (
                "the-password.json",
                #"{"surveys":[{"id":"r","title":"T","message":"M","options":["A"],"#
                    + #""trigger":{"event":{"name":"e"}}}]}"#
            ), ("the-password-forms.json", #"{"forms":[]}"#),
            ("the-password-flags.json", #"{"blue":true}"#),
        ] { try home.files.write(text, to: "config/\(name)") }
        daemon = try home.start()
        root = try daemon.connect()
        ada = try daemon.connect(uid: Self.adaUID)
        member = try daemon.connect(uid: 60_000, groups: [Self.administrators])
    }

    @Test("only administrators are told the settings, with the arguments of programs")
    func settings() throws {
        let refusal = try ada.ask("config.get")
        #expect(refusal.reason == "permissionDenied" && refusal.message?.contains("'adm'") == true)
        for client in [root, member] {
            #expect(try client.call("config.get").description.contains("the-password"))
        }
    }

    @Test("others see that an execution is there and what became of theirs, not what it runs")
    func executions() throws {
        for client in [ada, root] { try client.call("execution.subscribe") }
        for client in [ada, root] {
            try client.call("counter.register", #"{"name":"opens"}"#)
            try client.call("counter.trigger", #"{"name":"opens"}"#)
        }
        try waitUntil("the program has failed") {
            try ada.call("execution.list")["runs"]?[0]?["state"] == "failed"
        }
        let listed = try ada.call("execution.list")
        #expect(!listed.description.contains("the-password"))
        #expect(listed["executions"]?[0]?["id"] == "tell" && listed["executions"]?[0]?["fired"] == 1)
        #expect(listed["executions"]?[0]?["run"] == ["exec": ["…"], "timeoutSeconds": 60])
        #expect(listed["runs"]?.arrayValue?.count == 1)
        try waitUntil("root's program has failed") {
            try root.call("execution.list")["runs"]?.arrayValue?.filter { $0["state"] == "failed" }.count == 2
        }
        #expect(try ada.notification()["params"]?["execution"]?["run"]?["exec"] == ["…"])
        #expect(try root.notification()["params"]?["execution"]?["run"]?["exec"] == ["/nonexistent/the-password"])
        let whole = try root.call("execution.list")
        #expect(whole["executions"]?[0]?["run"]?["exec"] == ["/nonexistent/the-password"])
        #expect(whole["executions"]?[0]?["fired"] == 2)
        #expect(whole["runs"]?[0]?["note"]?.stringValue?.contains("the-password") == true)
    }

    @Test("others are told how the daemon is, and nothing about the machine's records and clients")
    func status() throws {
        try root.call("event.record", #"{"name":"a"}"#)
        let status = try ada.call("daemon.status")
        #expect(status.objectValue?.keys == ["version", "pid", "mode", "uptimeSeconds", "state"])
        #expect(status["state"] == "running")
        #expect(try ada.ask("daemon.status", #"{"format":"openmetrics"}"#).reason == "permissionDenied")
        #expect(try member.call("daemon.status")["store"]?["events"] == 1)
        #expect(try member.call("daemon.status", #"{"format":"openmetrics"}"#)["text"] != nil)

        let destinations = try ada.call("delivery.status")["destinations"]?.arrayValue ?? []
        #expect(destinations.map(\.objectValue?.keys) == Array(repeating: ["name", "kind", "state"], count: 2))
        #expect(try member.call("delivery.status")["destinations"]?[0]?["delivered"] != nil)
    }

    @Test("others are not told where the machine's documents lie", arguments: ["survey.list", "form.list"])
    func places(method: String) throws {
        #expect(!(try ada.call(method)).description.contains("the-password"))
        #expect(try ada.call(method)["file"] == nil)
        #expect(try member.call(method)["file"]?.stringValue?.contains("the-password") == true)
    }

    @Test("others get flags without where they come from")
    func flags() throws {
        #expect(try ada.call("flags.get") == ["flags": ["blue": true]])
        #expect(try member.call("flags.get")["source"]?["place"]?.stringValue?.contains("the-password") == true)
    }

    @Test("hark shows others what they may see, and says who may see more")
    func tool() throws {
        func run(_ words: String...) throws -> ToolRun {
            let command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", Programs.hark] + words
            let run = try Child.run(command, environment: home.environment)
            return ToolRun(ending: run.ending, output: run.output, errors: run.errors)
        }
        let status = try run("status")
        #expect(status.ending == .exited(0) && status.output.contains("running") && !status.output.contains("hark.db"))
        let config = try run("config", "show")
        #expect(config.ending == .exited(77) && config.errors.contains("'adm'"))
        #expect(try run("delivery").output.contains("archive"))
        #expect(try run("flags").output.contains("blue"))
        #expect(try run("surveys", "--rules").output.contains("r"))
        #expect(try run("execution", "list").ending == .exited(0))
    }
}
