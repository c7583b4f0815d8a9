import Foundation
import HarkWire
import Testing

/// Starts that are refused: each with a code of sysexits.h and a word on what to do next.
@Suite(.endToEnd) struct RefusedStartTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    /// Starts a daemon that must refuse, and returns its message.
    @discardableResult
    private func expectRefusal(
        _ code: Int32, _ hints: [String], _ options: [String] = [], from other: DaemonHome? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let daemon = try (other ?? home).launch(options)
        let ending = try daemon.child.wait()
        let errors = try daemon.errors
        #expect(ending == .exited(code), "\(errors)", sourceLocation: sourceLocation)
        for hint in hints {
            #expect(errors.contains(hint), "'\(hint)' is missing: \(errors)", sourceLocation: sourceLocation)
        }
        #expect(errors.hasPrefix("harkd: "), "\(errors)", sourceLocation: sourceLocation)
        return errors
    }

    @Test("options it does not know, and values that are missing")
    func options() throws {
        try expectRefusal(64, ["'--frobnicate'", "harkd --help"], ["--frobnicate"])
        try expectRefusal(64, ["'--state'", "needs a value", "harkd --help"], ["--state"])
        try expectRefusal(64, ["'--system=x'", "harkd --help"], ["--system=x"])
        try expectRefusal(64, ["takes no argument but a file to --check", "'start'"], ["start"])
        try home.files.write("{}", to: "other.json")
        let file = home.files.path("other.json")
        try expectRefusal(64, ["takes the folder that harkd.json is in, and '\(file)' is a file"], ["--config", file])
        #expect(access(home.state, F_OK) != 0)
    }

    @Test("harkd.json itself is taken for the folder it is in")
    func configurationFile() throws {
        try home.configure("{ \"retention\": 5 }")
        try expectRefusal(78, ["$.retention"], ["--config", home.configuration + "/harkd.json"])
    }

    @Test("too few open files: it says so, and does not come up to serve nobody")
    func openFiles() throws {
        home.prefix = ["prlimit", "--nofile=28"]
        try expectRefusal(71, ["28 files", "LimitNOFILE"])
        #expect(access(home.state, F_OK) != 0)
    }

    @Test("a configuration with errors: each fault is told at once, by its path")
    func configuration() throws {
        try home.configure(#"{"retention":"forever","limits":{"lineBytes":"big","nesting":1},"logLevel":7}"#)
        let hints = [
            "\(home.configuration)/harkd.json is not usable", "$.retention: must be one of none",
            "$.limits.lineBytes: must be an integer from 1024", "$.limits.nesting: must be",
            "$.logLevel: must be one of error",
        ]
        try expectRefusal(78, hints)
        let check = try home.launch(["--check"])
        #expect(try check.child.wait() == .exited(78))
        #expect(try check.errors.contains("/harkd.json:1:2: error: $.retention: must be one of none"))
        try home.configure("{")
        try expectRefusal(78, ["line 1, column 2: $: this is not JSON: it ends here"])
        try home.configure("[1]")
        try expectRefusal(78, ["$: must be one object"])
        #expect(access(home.state, F_OK) != 0)
    }

    @Test("a second daemon on the same store, or on the same socket: the first goes on")
    func second() throws {
        let first = try home.start()
        let other = try DaemonHome()
        try expectRefusal(
            69, ["another harkd (pid \(first.id))", home.state, "--state"], ["--state", home.state], from: other)
        try expectRefusal(
            69, ["another harkd (pid \(first.id))", home.socket, "HARK_SOCKET"], ["--socket", home.socket], from: other)
        #expect(try first.connect().call("event.record", #"{"name":"a"}"#)["seq"] == 2)
        // Nothing is left of them that would keep a daemon from starting later.
        #expect(try other.start().stop().ending == .exited(0))
    }

    @Test("a socket that cannot be made")
    func socket() throws {
        let long = home.files.path(String(repeating: "x", count: 120))
        try expectRefusal(73, ["107", "shorter", "HARK_SOCKET"], ["--socket", long])
        try home.files.write("precious", to: "s")
        try expectRefusal(73, ["no socket", "move it away"])
        #expect(try home.files.text("s") == "precious")
        try expectRefusal(73, ["/proc/nowhere"], ["--socket", "/proc/nowhere/s"])
    }

    @Test("a state folder that cannot be made")
    func stateFolder() throws {
        try home.files.write("precious", to: "state")
        try expectRefusal(73, [home.state, "--state"])
        #expect(try home.files.text("state") == "precious")
        try expectRefusal(73, ["/proc/nowhere", "--state"], ["--state", "/proc/nowhere"])
    }

    @Test("a state folder on a read-only file system", .enabled(if: MountSpace.isPossible))
    func readOnly() throws {
        try home.start().connect().call("event.record", #"{"name":"a"}"#)
        let space = try MountSpace()
        try space.run("mount", "--bind", home.state, home.state)
        try space.run("mount", "-o", "remount,ro,bind", home.state)
        home.prefix = space.prefix
        try expectRefusal(73, [home.state, "must be writable", "--state", "read-only"])
    }

    @Test("a state folder, or a store in it, of somebody else", .enabled(if: geteuid() == 0))
    func foreign() throws {
        try check("chmod") { chmod(home.files.path, 0o777) }
        #expect(try home.start().stop().ending == .exited(0))
        home.prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        try check("unlink") { unlink(home.socket + ".lock") }
        try expectRefusal(73, [home.state, "must be writable by this user", "--state"])
        try check("chmod") { chmod(home.state, 0o777) }
        try check("unlink") { unlink(home.state + "/hark.lock") }
        try expectRefusal(74, [home.state + "/hark.db", "writable by this user"])
        #expect(access(home.socket, F_OK) != 0)
    }
}
