import Foundation
import HarkSettings
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Programs, surveys and notices that counters bring about.
@Suite struct ExecutionDeskTests {
    private static func run(
        configuration: String = #"{"notify":null,"counters":{"c":{},"d":{"initial":"text"}}}"#, surveys: String? = nil,
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: configuration, surveys: surveys) { fixture in
            try await body(fixture, try fixture.connect())
        }
    }

    @Test("C4: a program is told why it runs, in its environment and on its input, and what it says is no matter")
    func program() async throws {
        try await Self.run { fixture, client in
            let folder = fixture.folder.path
            try await client.add(
                "x", #""when":{"c":{"op":"gte","value":2},"d":"text"},"#,
                "env > \(folder)/env; cat > \(folder)/input; echo hello; echo oh >&2")
            try await client.trigger("c", app: "default")
            #expect(try await client.call("counter.trigger", #"{"name":"c"}"#)["fired"] == ["x"])
            let run = try await client.waitForRun("x", "done")
            let environment = try String(contentsOfFile: folder + "/env", encoding: .utf8).split(separator: "\n")
            for line in [
                "HARK_EXECUTION_ID=x", "HARK_COUNTER=c", "HARK_VALUE=2", "HARK_APP=default", "HARK_UID=\(getuid())",
                "HARK_SOCKET=\(fixture.options.paths.socket)", "HARK_RUN_ID=\(run["runId"]?.stringValue ?? "?")",
                "HARK_FIRED_AT=\(run["firedAt"]?.stringValue ?? "?")",
            ] {
                #expect(environment.contains(Substring(line)), "\(line)")
            }
            let input = try JSONReader.read(Data(contentsOf: URL(fileURLWithPath: folder + "/input")))
            #expect(input["executionId"] == "x" && input["counter"] == "c" && input["value"] == 2)
            #expect(input["counters"] == ["c": 2, "d": "text"] && input["runId"] == run["runId"])
            #expect(run["startedAt"] != nil && run["endedAt"] != nil && run["note"] == nil)
            #expect(try await client.call("execution.list")["executions"] == [])
        }
    }

    @Test("C4: a program that fails, is not there, or takes too long is told as failed, and why")
    func failures() async throws {
        try await Self.run { _, client in
            try await client.add("status", #""listensTo":["c"],"#, "exit 3")
            try await client.call(
                "execution.add", #"{"id":"nowhere","listensTo":["c"],"run":{"exec":["/nowhere/at all"]}}"#)
            try await client.call(
                "execution.add",
                #"{"id":"slow","listensTo":["c"],"run":{"exec":["sleep","60"],"timeoutSeconds":1}}"#)
            try await client.trigger("c")
            #expect(try await client.waitForRun("status", "failed")["note"]?.stringValue?.contains("3") == true)
            #expect(try await client.waitForRun("nowhere", "failed")["note"]?.stringValue?.isEmpty == false)
            #expect(try await client.waitForRun("slow", "failed")["note"] == "it was ended after 1 s")
        }
    }

    @Test("C4: kept alive, the runs of one execution follow each other")
    func serial() async throws {
        try await Self.run { fixture, client in
            let log = fixture.folder.path + "/log"
            try await client.add(
                "x", #""listensTo":["c"],"keepAlive":true,"#,
                "echo begin $HARK_VALUE >> \(log); read line; echo end $HARK_VALUE >> \(log)")
            for _ in 0..<6 { try await client.trigger("c") }
            try await client.waitForRuns { runs in runs.count == 6 && runs.allSatisfy { $0["state"] == "done" } }
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            // One after the other, in any order for those of the same millisecond.
            let values = stride(from: 0, to: lines.count, by: 2).map { lines[$0].split(separator: " ").last ?? "" }
            #expect(lines.map(String.init) == values.flatMap { ["begin \($0)", "end \($0)"] })
            #expect(values.sorted() == ["1", "2", "3", "4", "5", "6"])
            let execution = try await client.call("execution.list")["executions"]?[0]
            #expect(execution?["fired"] == 6 && execution?["pending"] == 0)
        }
    }

    @Test("C4: different executions run side by side, eight at a time; what is removed before it begins does not run")
    func sideBySide() async throws {
        try await Self.run { fixture, client in
            let folder = fixture.folder.path
            for number in 0..<12 {
                try await client.add(
                    "x\(number)", #""listensTo":["c"],"keepAlive":true,"#,
                    "touch \(folder)/ran-x\(number); until [ -e \(folder)/go ]; do sleep 0.01; done")
            }
            try await client.trigger("c")
            try await client.waitForRuns { $0.count { $0["state"] == "running" } == 8 }
            let waiting = try await client.runs().filter { $0["state"] == "due" }
                .compactMap { $0["executionId"]?.stringValue }
            #expect(waiting.count == 4)
            try await client.call("execution.remove", #"{"id":"\#(waiting[0])"}"#)
            #expect(FileManager.default.createFile(atPath: folder + "/go", contents: nil))
            try await client.waitForRuns { $0.count { $0["state"] == "done" } == 11 }
            #expect(try await client.runs().count { $0["state"] == "cancelled" } == 1)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran-\(waiting[0])"))
        }
    }

    @Test(
        "C4: what was running when the daemon ended is reported and not run again, what was due runs after the restart")
    func restart() async throws {
        try await Self.run { fixture, client in
            let folder = fixture.folder.path
            try await client.add(
                "x", #""listensTo":["c"],"keepAlive":true,"#,
                "echo $HARK_VALUE >> \(folder)/ran; until [ -e \(folder)/go ]; do sleep 0.01; done")
            for _ in 0..<3 { try await client.trigger("c") }
            try await eventually("it runs") { FileManager.default.fileExists(atPath: folder + "/ran") }
            #expect(try await client.runs().map { $0["state"] } == ["due", "due", "running"])
            try await fixture.restart()
            #expect(FileManager.default.createFile(atPath: folder + "/go", contents: nil))
            let again = try fixture.connect()
            try await again.waitForRuns { runs in runs.count { $0["state"] == "done" } == 2 }
            #expect(try await again.runs().map { $0["state"] } == ["done", "done", "interrupted"])
            #expect(try String(contentsOfFile: folder + "/ran", encoding: .utf8) == "1\n2\n3\n")
            #expect(try await again.call("execution.list")["executions"]?[0]?["pending"] == 0)
        }
    }

    @Test("C4: subscribers hear of every firing once it is on disk, with what made it fire")
    func notices() async throws {
        try await Self.run { _, client in
            try await client.call("execution.subscribe")
            try await client.call(
                "execution.add", #"{"id":"tell","when":{"c":{"op":"gte","value":1}},"run":{"notify":true}}"#)
            try await client.call("counter.trigger", #"{"name":"c"}"#)
            let told = try await client.notification()
            #expect(told["method"] == "execution.fired")
            let params = told["params"]
            #expect(params?["subscription"] == 1 && params?["execution"]?["id"] == "tell")
            #expect(params?["counter"] == "c" && params?["value"] == 1 && params?["state"] == "done")
            try await client.call(
                "execution.add",
                #"{"id":"now","when":{"c":1},"run":{"notify":true},"validateImmediately":true}"#)
            let now = try await client.notification()
            #expect(now["params"]?["counter"] == .null && now["params"]?["app"] == "default")
        }
    }

    @Test("C4: a survey that counters raise is brought to a presenter")
    func survey() async throws {
        let surveys = """
            {"surveys":[{"id":"rating","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"never"}}}]}
            """
        try await Self.run(surveys: surveys) { fixture, client in
            let presenter = try fixture.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            try await client.call(
                "execution.add", #"{"id":"ask","when":{"c":{"op":"gte","value":2}},"run":{"survey":"rating"}}"#)
            try await client.trigger("c")
            try await client.trigger("c")
            let brought = try await presenter.next("survey.present")
            #expect(brought["surveyId"] == "rating")
            let refused = try await client.ask(
                "execution.add", #"{"id":"other","listensTo":["c"],"run":{"survey":"nobody"}}"#)
            #expect(refused["error"]?["data"]?["path"] == "$.params.run.survey")
        }
    }

    @Test("C4: executions of the settings run, are validated at the start, and follow a reload")
    func configured() async throws {
        func settings(_ executions: String) -> String {
            #"{"notify":null,"counters":{"c":{"initial":3}},"executions":[\#(executions)]}"#
        }
        let asSoon = #"{"id":"soon","when":{"c":3},"run":{"notify":true},"validateImmediately":true}"#
        let later = #"{"id":"later","when":{"c":{"op":"gt","value":3}},"run":{"notify":true}}"#
        try await Self.run(configuration: settings("\(asSoon),\(later)")) { fixture, client in
            try await client.waitForRuns { $0.map { $0["executionId"] } == ["soon"] }
            #expect(try await client.call("counter.trigger", #"{"name":"c"}"#)["fired"] == ["later"])
            let taken = try await client.ask(
                "execution.add", #"{"id":"later","listensTo":["c"],"run":{"notify":true}}"#)
            #expect(taken["error"]?["data"]?["reason"] == "conflict")
            let listed = try await client.call("execution.list")["executions"]
            #expect(listed?[0]?["id"] == "soon" && listed?[0]?["configured"] == true && listed?[0]?["fired"] == 1)
            try await fixture.restart()
            let again = try fixture.connect()
            #expect(try await again.call("counter.trigger", #"{"name":"c"}"#)["fired"] == [])
            let fresh = #"{"id":"fresh","when":{"c":5},"run":{"notify":true},"validateImmediately":true}"#
            try fixture.configure(settings("\(later),\(fresh)"))
            try await again.call("daemon.reload")
            try await again.waitForRuns { $0.first?["executionId"] == "fresh" }
            #expect(try await again.runs().count == 3)
            try fixture.configure(settings(#"{"id":"later","run":{"exec":[]}}"#))
            let refused = try await again.ask("daemon.reload")
            #expect(refused["error"]?["message"]?.stringValue?.contains("$.executions[0].run.exec") == true)
        }
    }

    @Test("C4: of an execution that leaves the settings, what waits does not run, and what runs runs on")
    func left() async throws {
        func settings(_ executions: String) -> String {
            #"{"notify":null,"counters":{"c":{}},"executions":[\#(executions)]}"#
        }
        try await Self.run(configuration: settings("")) { fixture, client in
            let folder = fixture.folder.path
            let script = "echo $HARK_VALUE >> \(folder)/ran; until [ -e \(folder)/go ]; do sleep 0.01; done"
            try fixture.configure(
                settings(#"{"id":"x","listensTo":["c"],"keepAlive":true,"run":{"exec":["sh","-c","\#(script)"]}}"#))
            try await client.call("daemon.reload")
            for _ in 0..<3 { try await client.trigger("c") }
            try await eventually("it runs") { FileManager.default.fileExists(atPath: folder + "/ran") }
            try fixture.configure(settings(""))
            try await client.call("daemon.reload")
            #expect(try await client.runs().map { $0["state"] } == ["cancelled", "cancelled", "running"])
            #expect(FileManager.default.createFile(atPath: folder + "/go", contents: nil))
            try await client.waitForRuns { $0.last?["state"] == "done" }
            // Another execution acts after this one.
            try await client.add("y", #""listensTo":["c"],"#, "true")
            try await client.trigger("c")
            _ = try await client.waitForRun("y", "done")
            #expect(try String(contentsOfFile: folder + "/ran", encoding: .utf8) == "1\n")
        }
    }

    @Test("an execution that leaves the settings while the store refuses is forgotten once it takes commits again")
    func leftWhileRefused() async throws {
        func settings(_ executions: String) -> String {
            #"{"notify":null,"counters":{"c":{}},"executions":[\#(executions)]}"#
        }
        let once = #"{"id":"x","listensTo":["c"],"run":{"notify":true}}"#
        try await Self.run(configuration: settings(once)) { fixture, client in
            #expect(try await client.call("counter.trigger", #"{"name":"c"}"#)["fired"] == ["x"])
            #expect(try await client.call("counter.trigger", #"{"name":"c"}"#)["fired"] == [])
            try fixture.refuse("DELETE ON configured")
            try fixture.configure(settings(""))
            _ = try await client.ask("daemon.reload")
            try await fixture.refusal()
            try await fixture.recover()
            try fixture.configure(settings(once))
            try await client.call("daemon.reload")
            #expect(try await client.call("counter.trigger", #"{"name":"c"}"#)["fired"] == ["x"])
        }
    }

    @Test("what was running when the daemon ended is reported, too, if the store refuses that at the start")
    func restartWhileRefused() async throws {
        try await Self.run { fixture, client in
            let folder = fixture.folder.path
            try await client.add("x", #""listensTo":["c"],"keepAlive":true,"#, "touch \(folder)/ran; sleep 60")
            try await client.trigger("c")
            try await eventually("it runs") { FileManager.default.fileExists(atPath: folder + "/ran") }
            // Interrupted: 4.
            try fixture.refuse("UPDATE ON run WHEN NEW.state = 4")
            try await fixture.restart()
            try await fixture.refusal()
            try await fixture.recover()
            let again = try fixture.connect()
            _ = try await again.waitForRun("x", "interrupted")
            #expect(try await again.call("execution.list")["executions"]?[0]?["pending"] == 0)
        }
    }

    @Test("what is odd about an execution is told as a warning with its place")
    func warnings() async throws {
        try await Self.run { _, client in
            let added = try await client.call(
                "execution.add", #"{"id":"x","listensTo":["c"],"run":{"notify":true,"loud":1},"colour":"red"}"#)
            #expect(
                added["warnings"] == [
                    "unknown member 'colour'", "$.params.run.loud: unknown member 'loud'; it has no effect",
                ])
        }
    }
}

extension FixtureClient {
    /// Adds an execution that runs a line of shell.
    fileprivate func add(_ id: String, _ members: String, _ script: String) async throws {
        let script = JSONValue.string(script).description
        try await call("execution.add", #"{"id":"\#(id)",\#(members)"run":{"exec":["sh","-c",\#(script)]}}"#)
    }

    fileprivate func trigger(_ name: String, app: String = "default") async throws {
        try await call("counter.trigger", #"{"name":"\#(name)","app":"\#(app)"}"#)
    }

    /// Newest first.
    fileprivate func runs() async throws -> [JSONValue] {
        try await call("execution.list")["runs"]?.arrayValue ?? []
    }

    fileprivate func waitForRuns(_ isSo: ([JSONValue]) -> Bool) async throws {
        try await eventually("the runs are so") { isSo(try await runs()) }
    }

    fileprivate func waitForRun(_ id: String, _ state: String) async throws -> JSONValue {
        var found: JSONValue?
        try await waitForRuns { runs in
            found = runs.first { $0["executionId"]?.stringValue == id && $0["state"]?.stringValue == state }
            return found != nil
        }
        return found ?? .null
    }
}
