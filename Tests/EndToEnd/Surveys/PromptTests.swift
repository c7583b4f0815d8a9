import Foundation
import HarkTesting
import HarkWire
import Testing

/// `hark prompt` in scripts, with a terminal and without.
@Suite(.endToEnd) struct PromptTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        daemon = try home.start()
    }

    /// The presentation that waits, once there is one.
    private func waiting() throws -> String {
        var id = ""
        try waitUntil("something is asked") {
            let listed = try JSONReader.read(home.hark("surveys", "--json").output)
            id = listed["surveys"]?[0]?["presentationId"]?.stringValue ?? ""
            return !id.isEmpty
        }
        return id
    }

    private func waitUntilNothingIsAsked() throws {
        try waitUntil("the question is taken back") {
            try home.hark("surveys", "--json").output.contains(#""surveys":[]"#)
        }
    }

    @Test("in a script, the question is on its terminal and the answer in its variable; the terminal is as it was")
    func terminal() throws {
        let screen = try TmuxScreen(home, columns: 40, rows: 16)
        try screen.run(
            #"s=$(stty -g); a=$($hark prompt 'Deploy now?' Yes No </dev/tty); echo "<$a> $?"; [ "$s" = "$(stty -g)" ] && echo same"#
        )
        try screen.wait(for: "  1  Yes")
        try screen.wait(for: "Esc dismiss")
        try screen.press("2")
        try screen.wait(for: "<No> 0\nsame")
        #expect(try home.hark("events", "--name", "survey_response").output.contains("option=No"))
    }

    @Test("on a terminal: Esc dismisses, Ctrl-C takes it back and ends the loop it is in, an answer elsewhere ends it")
    func endings() throws {
        let screen = try TmuxScreen(home)
        try screen.run(#"$hark prompt 'Well?' --rating; echo "exit $?""#)
        try screen.wait(for: "Ctrl-C cancel")
        #expect(try !screen.text.contains("Question 1"))
        try screen.press("Escape")
        try screen.wait(for: "exit 1")
        try screen.run(#"for i in 1 2; do $hark prompt 'Which?' a b --multiple; done; echo "end""#)
        try screen.wait(for: "Ctrl-C cancel")
        try screen.press("C-c")
        try waitUntil("the shell is back") { try screen.text.split(separator: "\n").contains("$") }
        #expect(try !screen.text.contains("end\n"))
        try waitUntilNothingIsAsked()
        try screen.run(#"echo "got: $($hark prompt 'A word?' --text)""#)
        try screen.wait(for: "Ctrl-C cancel")
        try home.hark("answer", try waiting(), "--text", "from elsewhere")
        try screen.wait(for: "got: from elsewhere")
    }

    @Test("a terminal without a cursor is asked line by line, and several options are lines")
    func lines() throws {
        let screen = try TmuxScreen(home, environment: ["TERM": "dumb"])
        let out = home.files.path("out")
        try screen.run(
            #"TERM=dumb $hark prompt 'Which?' web db mail --multiple > \#(out); echo "exit $?"; cat \#(out)"#)
        try screen.wait(for: "Your choices")
        try screen.type("1,3")
        try screen.press("Enter")
        try screen.wait(for: "exit 0\nweb\nmail")
    }

    @Test("with nobody there it ends at once with 67, or the default; with a time it waits, then 124 or the default")
    func nobody() throws {
        let alone = try home.hark("prompt", "Deploy?", "Yes", "No")
        #expect(alone.ending == .exited(67) && alone.output.isEmpty && alone.errors.contains("there is nobody to ask"))
        #expect(try home.hark("prompt", "Deploy?", "Yes", "No", "--default", "No").output == "No\n")
        let late = try home.hark("prompt", "Deploy?", "Yes", "No", "--timeout", "1")
        #expect(late.ending == .exited(124) && late.output.isEmpty)
        let kept = try home.hark(
            "prompt", "Deploy?", "Yes", "No", "--user", NSUserName(), "--timeout", "1", "--default", "No")
        #expect(kept.ending == .exited(0) && kept.output == "No\n")
    }

    @Test("where notify-send would find no session bus, there is nobody to ask")
    func noBus() throws {
        let server = try DaemonHome()
        try server.files.write("#!/bin/sh\nsleep 60\n", to: "notify-send")
        try check("chmod") { chmod(server.files.path("notify-send"), 0o755) }
        server.variables["PATH"] = server.files.path("") + ":/usr/bin:/bin"
        for name in ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "XDG_RUNTIME_DIR"] { server.variables[name] = nil }
        let daemon = try server.start()
        defer { daemon.kill() }
        #expect(try server.hark("prompt", "Deploy?", "Yes", "No").ending == .exited(67))
    }

    @Test("where the last notification could not be shown, there is nobody to ask")
    func failingNotifications() throws {
        try home.configure(#"{"notify":{"command":["false"]}}"#)
        try daemon.connect().call("daemon.reload")
        #expect(try home.hark("prompt", "Deploy?", "Yes", "No", "--timeout", "1").ending == .exited(124))
        #expect(try home.hark("prompt", "Deploy?", "Yes", "No").ending == .exited(67))
        // What shows it may be mended.
        try home.configure(#"{"notify":{"command":["sh","-c","echo answer Yes"]}}"#)
        try daemon.connect().call("daemon.reload")
        #expect(try home.hark("prompt", "Deploy?", "Yes", "No").output == "Yes\n")
    }

    @Test(
        "where the notify hook fails for the first time, a question that is not to wait is over, and hark status says why"
    )
    func failsAtFirst() throws {
        for (more, ending, output) in [([], 67, ""), (["--default", "No"], 0, "No\n")] as [([String], Int32, String)] {
            try home.configure(#"{"notify":{"command":["false"]}}"#)
            try daemon.connect().call("daemon.reload")
            let asked = try home.hark(["prompt", "Deploy?", "Yes", "No"] + more)
            #expect(asked.ending == .exited(ending) && asked.output == output, "\(asked)")
            #expect(try home.hark("status").output.contains("the notify hook failed"))
        }
    }

    @Test("the daemon is killed while a script waits: it is asked once, and the answer comes")
    func killed() throws {
        let script = try RunningTool(home, "prompt", "And then?", "--text", "--timeout", "1h")
        let id = try waiting()
        daemon.kill()
        try waitUntil("it says so") { try script.errors.contains("the daemon is away") }
        let next = try home.start()
        defer { next.kill() }
        #expect(try waiting() == id)
        #expect(try home.hark("answer", id, "--text", "later").ending == .exited(0))
        #expect(try script.child.wait() == .exited(0))
        #expect(try script.output == "later\n")
    }

    @Test("ended by a signal, it takes the question back; killed, the daemon does")
    func signals() throws {
        let script = try RunningTool(home, "prompt", "Still there?", "Yes", "--timeout", "1h")
        _ = try waiting()
        script.child.signal(SIGTERM)
        #expect(try script.child.wait() == .signaled(SIGTERM))
        try waitUntilNothingIsAsked()
        let killed = try RunningTool(home, "prompt", "Still there?", "Yes", "--timeout", "1h")
        _ = try waiting()
        killed.child.kill()
        try waitUntilNothingIsAsked()
    }

    @Test("asked without waiting, it is answered later, over the end of the script and a kill of the daemon")
    func later() throws {
        let id = try #require(try home.hark("prompt", "How was it?", "--rating", "--no-wait").lines.first)
        #expect(try home.hark("prompt", "--id", String(id), "--no-wait").ending == .exited(75))
        daemon.kill()
        let next = try home.start()
        defer { next.kill() }
        try home.hark("answer", try waiting(), "--answers", #"{"rating": 4}"#)
        #expect(try home.hark("prompt", "--id", String(id)).output == "4\n")
        #expect(try home.hark("prompt", "--id", String(id), "--json").output.contains(#""state":"answered""#))
        #expect(try home.hark("prompt", "--id", "0199e0f4-8c7a-7000-8000-000000000000").ending == .exited(66))
    }

    @Test("the default of a text may be none, over a restart of the daemon too")
    func emptyDefault() throws {
        let late = try home.hark("prompt", "A word?", "--text", "--default", "", "--timeout", "1")
        #expect(late.ending == .exited(0) && late.output == "\n")
        let id = try #require(
            try home.hark("prompt", "A word?", "--text", "--default", "", "--timeout", "1", "--no-wait").lines.first)
        daemon.kill()
        let next = try home.start()
        defer { next.kill() }
        let kept = try home.hark("prompt", "--id", String(id))
        #expect(kept.ending == .exited(0) && kept.output == "\n")
        #expect(try home.hark("prompt", "A word?", "a", "--text", "--default", "").ending == .exited(65))
    }

    @Test(
        "what is wrong with a command line is said in its own words",
        arguments: [
            (["?", "-5", "0"], "'-5' is no option, write two dashes before it"),
            (["?", "-50"], "'-50' is no option, write two dashes before it"),
            (["?"] + (1...60).map(String.init), "at most 50 options, and these are 60"),
            (["?", "a", "--timeout", "0"], "'--timeout' must be at least 1 s"),
            (["?", "a", "--timeout", "32d"], "--timeout must be"),
        ])
    func words(words: [String], expected: String) throws {
        let run = try home.hark(["prompt"] + words)
        #expect(run.errors.contains(expected), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("answers that begin with a dash stand behind two")
    func dashes() throws {
        #expect(try home.hark("prompt", "How cold?", "--default=-5", "--", "-5", "-10").output == "-5\n")
    }

    @Test("what cannot be asked is refused with what to do")
    func refusals() throws {
        for (words, code) in [
            ([], 64), (["?"], 64), (["?", "a", "--rating"], 64), (["?", "a", "--scale", "5"], 64),
            (["?", "a", "--user", "nobody-of-that-name"], 64), (["?", "a", "--default", "b"], 65),
            (["?", "a", "a"], 65),
            (["?", "a", "--timeout", "32d"], 65), (["?", "--id", "x"], 64), (["?", "--text", "--multiple"], 64),
        ] as [([String], Int32)] {
            let run = try home.hark(["prompt"] + words)
            #expect(run.ending == .exited(code) && run.output.isEmpty && !run.errors.isEmpty, "\(words): \(run)")
        }
    }

    @Test("numbers, scales, yes and no: on a terminal of 40 columns, by a script, and with their faults")
    func kinds() throws {
        let screen = try TmuxScreen(home, columns: 40, rows: 16)
        try screen.run(
            #"echo "<$($hark prompt 'How many km?' --number --min 0 --step 0.1 --unit km </dev/tty)>""#)
        try screen.wait(for: "≥ 0 km")
        try screen.type("12,34")
        try screen.press("Enter")
        try screen.wait(for: "in steps of 0.1 from")
        try screen.press("BSpace", "Enter")
        try screen.wait(for: "<12.3>")
        try screen.run(
            #"echo "<$($hark prompt 'How loud?' --scale 0..100 --step 5 --label 0=silent </dev/tty)>""#)
        try screen.wait(for: "No answer yet")
        try screen.press("Right")
        try screen.wait(for: "0: silent")
        try screen.press("Right", "Right", "Enter")
        try screen.wait(for: "<10>")
        try screen.run(#"echo "<$($hark prompt 'Locked?' --yes-no </dev/tty)>""#)
        try screen.wait(for: "y  ○ Yes")
        try screen.press("n", "Enter")
        try screen.wait(for: "<no>")

        let asked = try home.hark("prompt", "How many?", "--number", "--integer", "--no-wait").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let refused = try home.hark("answer", try waiting(), "--answers", #"{"answer":1.5}"#)
        #expect(refused.ending != .exited(0) && refused.errors.contains("must be a whole number"))
        try home.hark("answer", try waiting(), "--answers", #"{"answer":3}"#)
        #expect(try home.hark("prompt", "--id", asked).output == "3\n")
        #expect(try home.hark("prompt", "How much?", "--number", "--default", "-0.5").output == "-0.5\n")
        for (arguments, words) in [
            (["--number", "--yes-no"], "contradict each other"), (["--number", "a"], "takes no options"),
            (["--scale", "0-100"], "'--scale' takes its two ends"),
            (["--number", "--min", "1e5"], "'--min' is a number"),
            (["--text", "--min", "1"], "'--min' is for '--number'"),
            (["--scale", "0..10", "--label", "x"], "'--label' takes"),
        ] {
            let run = try home.hark(["prompt", "Q?"] + arguments)
            #expect(run.ending == .exited(64) && run.errors.contains(words), "\(run.errors)")
        }
    }

    @Test("texts of a form, and Other: on a terminal of 40 columns, by a script, and with their faults")
    func forms() throws {
        let screen = try TmuxScreen(home, columns: 40, rows: 16)
        try screen.run(
            #"echo "<$($hark prompt 'ZIP?' --text --pattern '[0-9]{5}' --pattern-message 'Five digits.' </dev/tty)>""#)
        try screen.wait(for: "0/250")
        try screen.type("1234")
        try screen.press("Enter")
        try screen.wait(for: "Five digits.")
        try screen.type("5")
        try screen.press("Enter")
        try screen.wait(for: "<12345>")
        try screen.run(#"echo "<$($hark prompt 'How?' Bus Bike --other --shuffle </dev/tty | tr '\n' ,)>""#)
        try screen.wait(for: "3  ○ Other")
        try screen.press("3", "Enter")
        try screen.wait(for: "0/250")
        try screen.type("By boat")
        try screen.press("Enter")
        try screen.wait(for: "<other,By boat,>")

        let asked = try home.hark("prompt", "Which?", "A", "B", "--multiple", "--other", "--no-wait").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let refused = try home.hark("answer", try waiting(), "--answers", #"{"answer":["A","other"]}"#)
        #expect(refused.ending != .exited(0) && refused.errors.contains("'answer.other' needs an answer"))
        try home.hark("answer", try waiting(), "--answers", #"{"answer":["A","other"],"answer.other":"C"}"#)
        #expect(try home.hark("prompt", "--id", asked).output == "A\nother\nC\n")
        for (arguments, words) in [
            (["--pattern", "x"], "'--pattern' is for '--text'"),
            (["--text", "--pattern-message", "x"], "'--pattern-message' is for '--pattern'"),
            (["A", "--text", "--pattern", "x"], "'--pattern' takes no options"),
            (["--other"], "needs at least one option"),
            (["A", "--other", "--text"], "contradict each other"),
            (["--number", "--shuffle"], "contradict each other"),
        ] {
            let run = try home.hark(["prompt", "Q?"] + arguments)
            #expect(run.ending == .exited(64) && run.errors.contains(words), "\(run.errors)")
        }
        let pattern = try home.hark("prompt", "Q?", "--text", "--pattern", "[a")
        #expect(pattern.ending == .exited(65) && pattern.errors.contains("missing terminating ]"), "\(pattern.errors)")
    }
}

/// Two accounts of a machine are asked.
@Suite(.endToEnd, .enabled(if: geteuid() == 0)) struct SharedPromptTests {
    @Test("two are asked, and the first answer counts; nobody but administrators may ask somebody else")
    func two() throws {
        let home = try DaemonHome()
        home.options = ["--system"]
        try check("chmod") { chmod(home.files.path, 0o755) }
        let daemon = try home.start()
        let (ada, bob) = (try daemon.connect(uid: 65_534), try daemon.connect(uid: 65_533))
        for client in [ada, bob] { try client.call("survey.subscribe", #"{"presenter":true}"#) }
        let script = try RunningTool(
            home, "prompt", "Deploy?", "Yes", "No", "--user", "65534", "--user", "65533", "--json")
        var shown: [String] = []
        for client in [ada, bob] {
            var brought = try client.notification()
            while brought["method"] != "survey.present" { brought = try client.notification() }
            #expect(brought["params"]?["survey"]?["askedBy"] == 0)
            shown.append(brought["params"]?["survey"]?["presentationId"]?.stringValue ?? "")
        }
        try bob.call("survey.answer", #"{"presentationId":"\#(shown[1])","option":"No"}"#)
        #expect(try script.child.wait() == .exited(0))
        #expect(try script.output.contains(#""answeredBy":65533"#))
        let late = try ada.ask("survey.answer", #"{"presentationId":"\#(shown[0])","option":"Yes"}"#)
        #expect(late.reason == "alreadyClosed")
        let params = #"{"question":"?","text":true,"uids":[65533]}"#
        #expect(try ada.ask("prompt.ask", params).reason == "permissionDenied")
        let asked = try bob.call("prompt.ask", #"{"question":"?","text":true}"#)
        let id = asked["prompt"]?["promptId"]?.stringValue ?? ""
        for method in ["prompt.get", "prompt.cancel", "prompt.wait"] {
            #expect(try ada.ask(method, #"{"promptId":"\#(id)"}"#).reason == "notFound", "\(method)")
        }
    }
}
