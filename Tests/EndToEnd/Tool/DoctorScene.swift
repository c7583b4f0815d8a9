import Foundation
import HarkWire
import Testing

/// A daemon's folders as `hark doctor` sees them, and the commands it gives.
final class DoctorScene {
    let home: DaemonHome
    /// Programs and their arguments that `hark` is run through.
    var prefix: [String] = []
    /// Takes the place of what the test has in its environment.
    var variables: [String: String] = [:]
    /// The daemons that commands have started.
    private var started: Set<pid_t> = []

    init() throws {
        home = try DaemonHome()
        variables = [
            "HARK_SOCKET": home.socket, "HARK_STATE": home.state, "HARK_CONFIG": home.configuration,
            "HOME": home.files.path,
            "PATH": "\(URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().path):/usr/bin:/bin",
        ]
    }

    deinit { for pid in started { kill(pid, SIGKILL) } }

    struct Findings {
        let ending: Child.Ending
        let checks: [JSONValue]

        subscript(id: String) -> JSONValue? { checks.first { $0["id"]?.stringValue == id && $0["state"] != "ok" } }

        /// Of all of this id.
        func isOK(_ id: String) -> Bool {
            let found = checks.filter { $0["id"]?.stringValue == id }
            return !found.isEmpty && found.allSatisfy { $0["state"] == "ok" }
        }
    }

    func examine() throws -> Findings {
        let run = try Child.run(prefix + [Programs.hark, "doctor", "--json"], environment: variables)
        let told = try SocketClient.parse(Array(run.output.utf8))
        let findings = Findings(ending: run.ending, checks: told["checks"]?.arrayValue ?? [])
        let hasFault = findings.checks.contains { $0["state"] == "fault" }
        #expect(told["ok"] == .bool(!hasFault) && run.ending == .exited(hasFault ? 1 : 0), "\(run)")
        return findings
    }

    /// Expects a fault that says so, runs the command that comes with it, and expects that all is well then.
    func mend(
        _ id: String, saying words: String, _ location: SourceLocation = #_sourceLocation,
        meanwhile: () throws -> Void = {}
    ) throws {
        let before = try examine()
        let finding = try #require(before[id], "\(before.checks)", sourceLocation: location)
        #expect(finding["message"]?.stringValue?.contains(words) == true, "\(finding)", sourceLocation: location)
        let line = try #require(finding["mend"]?.stringValue, "\(finding)", sourceLocation: location)
        let child = try Child(
            prefix + ["bash", "-c", line], environment: variables, errors: home.files.path("mending"))
        try meanwhile()
        let ending = try child.wait()
        let said = try home.files.text("mending")
        #expect(ending == .exited(0), "\(line): \(said)", sourceLocation: location)
        try waitUntil("\(id) is all right after: \(line)") { try examine().isOK(id) }
        noteDaemon()
    }

    /// One that a command has started is the test's to end.
    private func noteDaemon() {
        guard let client = try? SocketClient(to: home.socket), let pid = try? client.call("hello")["pid"]?.intValue
        else {
            return
        }
        if let ours = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).split(separator: " ")[3],
            ours != "\(getpid())"
        {
            started.insert(pid_t(pid))
        }
    }

    /// A program on the PATH that does what `script` says.
    func stub(_ name: String, _ script: String) throws {
        let folder = home.files.path("stubs")
        mkdir(folder, 0o755)
        try home.files.write("#!/bin/sh\n\(script)\n", to: "stubs/\(name)")
        try check("chmod") { chmod("\(folder)/\(name)", 0o755) }
    }
}
