import Foundation
import HarkWire
import Testing

/// What shells offer for the names of things that the daemon has.
@Suite(.endToEnd) struct NameCompletionTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "packaging/completion").path

    init() throws {
        home = try DaemonHome()
        try home.configure(
            #"{"notify": null, "destinations": [{"name": "collector", "kind": "http", "url": "http://127.0.0.1:9/"}]}"#)
        try home.files.write(NamedThings.surveys, to: "config/surveys.json")
        try home.files.write(NamedThings.forms, to: "config/forms.json")
        daemon = try home.start()
    }

    /// What is offered for the last word. A busy machine may take longer than a key may; it is pressed again then.
    private func offered(_ words: String..., expecting count: Int = 1) throws -> [String] {
        var lines: [String] = []
        try? waitUntil("something is offered", within: 20) {
            lines = try home.hark(["completion", "--names", "--"] + words).lines.map(String.init)
            return lines.count >= count
        }
        return lines
    }

    /// Runs a shell in which `hark` is this daemon's, until it prints what is expected.
    private func shell(_ words: [String], prints expected: String) throws {
        var printed = ""
        do {
            try waitUntil("the shell offers it", within: 30) {
                let programs = URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().path
                let variables = home.environment.merging([
                    "PATH": "\(programs):/usr/bin:/bin", "HOME": home.files.path, "XDG_CONFIG_HOME": home.files.path,
                ]) { $1 }
                let run = try Child.run(words, environment: variables)
                printed = run.output + run.errors
                return run.output == expected
            }
        } catch {
            throw Failure("the shell offers:\n\(printed)instead of:\n\(expected)")
        }
    }

    /// What bash offers for a line whose words are these; as readline calls it.
    private func bash(_ words: [String], offers expected: [String]) throws {
        let script = """
            . '\(Self.scripts)/hark.bash'
            compopt() { :; }
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$LINE" COMP_POINT=${#COMP_LINE}
            _hark; printf '%s\\n' "${COMPREPLY[@]}" | uniq
            """
        // A word with colons is several to readline.
        let parts = words.flatMap { word in
            guard word.contains(where: { $0 == ":" || $0 == "=" }), !word.hasPrefix("'") else { return [word] }
            return word.replacing(":", with: " : ").replacing("=", with: " = ").split(separator: " ").map(String.init)
        }
        try shell(
            ["env", "LINE=" + words.joined(separator: " "), "bash", "-c", script, "bash"] + parts,
            prints: expected.map { $0 + "\n" }.joined())
    }

    @Test("each kind of thing is offered with its title, and only what begins like the word")
    func kinds() throws {
        #expect(
            try offered("results", "", expecting: 3) == [
                "rating\tQuick question", "nps\tWould you recommend us?", "nps-2026\tRecommendation",
            ])
        #expect(try offered("explain", "np", expecting: 2).count == 2)
        #expect(try offered("form", "f") == ["favourites\tFavourite colours"])
        #expect(try offered("delivery", "drop", "c") == ["collector"])
        try home.hark("counter", "register", "opens")
        try home.hark("counter", "register", "taps", "--app", "kiosk")
        try home.hark("execution", "add", "fan", "--when", "opens>=2", "--notify")
        #expect(try offered("counter", "get", "") == ["opens"])
        #expect(try offered("counter", "set", "--app", "kiosk", "") == ["taps"])
        #expect(try offered("execution", "remove", "") == ["fan"])
        let session = try home.hark("session", "start", "--user", "ada").output.dropLast()
        #expect(try offered("clear", "--session", "", expecting: 2).contains(String(session)))
        #expect(try offered("session", "show", "cur") == ["current"])
        try home.hark("record", "checkout", "--quiet")
        let waiting = try offered("answer", "", expecting: 2)
        #expect(waiting.count == 2 && waiting.last == "rating")
        #expect(waiting.first?.hasSuffix("\trating: Quick question") == true)
        #expect(try offered("dismiss", String(waiting[0].prefix(8))).count == 1)
        try home.hark("watch", "add", "backup", "--every", "26h")
        #expect(try offered("watch", "remove", "") == ["backup"])
        #expect(try offered("stats", "check") == ["checkout"])
        let prompt = try home.hark("prompt", "Well?", "Yes", "--no-wait").output.dropLast()
        #expect(try offered("prompt", "--id", "") == [String(prompt)])
    }

    @Test("a daemon that hangs, is away, or is asked for nothing costs no word and hardly any time")
    func quiet() throws {
        let kill = { (number: CInt) in Foundation.kill(daemon.id, number) }
        #expect(kill(SIGSTOP) == 0)
        defer { _ = kill(SIGCONT) }
        for words in [["results", ""], ["counter", "get", ""], ["clear", "--session", "x"], ["record", ""], []] {
            // A command that waits for the daemon does so for a minute.
            let run = try Child.run(
                ["timeout", "20", Programs.hark, "completion", "--names", "--"] + words, environment: home.environment)
            #expect(run.ending == .exited(0) && run.output == "" && run.errors == "", "\(words)")
        }
        #expect(try home.hark(["completion", "--names", "--", "unm"]).output.contains("\nunmute\t"))
        let away = try Child.run(
            [Programs.hark, "completion", "--names", "--", "results", ""],
            environment: ["HARK_SOCKET": home.files.path("nowhere")])
        #expect(away.ending == .exited(0) && away.output == "" && away.errors == "")
    }

    @Test("of many names some hundred are offered, and none that would do something to the terminal")
    func many() throws {
        try home.hark("counter", "register", "b\u{1B}[2Jad")
        let lines = (0..<700).map { number in
            #"{"jsonrpc":"2.0","method":"counter.register","params":{"name":"many-\#(number)"}}"# + "\n"
        }
        let client = try daemon.connect()
        try client.send(lines.joined())
        try client.call("counter.register", #"{"name":"zebra"}"#)
        let all = try offered("counter", "get", "", expecting: 200)
        #expect((200...500).contains(all.count))
        #expect(!all.contains { $0.contains("\u{1B}") })
        #expect(try offered("counter", "get", "many-1", expecting: 50).allSatisfy { $0.hasPrefix("many-1") })
    }

    @Test("bash offers names, quotes what is special, and keeps what stands before a colon")
    func bash() throws {
        for name in ["shop:door", "shop:till", "two words"] { try home.hark("counter", "register", name) }
        try bash(["hark", "results", "np"], offers: ["nps", "nps-2026"])
        try bash(["hark", "counter", "get", "tw"], offers: [#"two\ words"#])
        try bash(["hark", "counter", "get", "shop:d"], offers: ["door"])
        try bash(["hark", "counter", "set", "two", ""], offers: [""])
        try bash(["hark", "counter", "get", "shop:"], offers: ["door", "till"])
        try bash(["hark", "counter", "get", "'shop:d"], offers: ["shop:door"])
        try bash(["hark", "counter", "get", #"two\ w"#], offers: [#"two\ words"#])
        try bash(["hark", "counter", "get", "'two w"], offers: ["two words"])
        try bash(["hark", "counter", "get", "--ty"], offers: ["--type"])
        try bash(["hark", "counter", "get", "two", "-"], offers: ["--type", "--app", "--json", "--help"])
    }

    @Test("bash offers no name behind an open quote that the shell would read otherwise")
    func hostileNames() throws {
        for name in ["b$(date)", "b`date`", "b'; date; '", "b\"", "b!!", "bus"] {
            try home.hark("counter", "register", name)
        }
        try bash(["hark", "counter", "get", "\"b"], offers: ["bus"])
        try bash(["hark", "counter", "get", "'b"], offers: ["bus"])
        try bash(["hark", "counter", "get", "b$"], offers: [#"b\$\(date\)"#])
        // It ends, although no word is '--' as it is typed.
        try bash(["hark", "run", "'--'", "basenam"], offers: ["basename"])
    }

    @Test("bash offers values behind =, files, folders and programs")
    func bashValues() throws {
        let folder = home.files.path
        try FileManager.default.createDirectory(atPath: "\(folder)/kept", withIntermediateDirectories: true)
        try home.files.write("", to: "kept/my file.json")
        try bash(["hark", "log", "--level="], offers: ["info", "warning", "error", "messages"])
        try bash(["hark", "log", "--level=w"], offers: ["warning"])
        try bash(["hark", "chart", "--svg=\(folder)/kept/m"], offers: ["\(folder)/kept/my file.json"])
        try bash(["hark", "chart", "--svg", "'\(folder)/kept/my f"], offers: ["\(folder)/kept/my file.json"])
        try bash(["hark", "import", "\(folder)/ke"], offers: ["\(folder)/kept"])
        try bash(["hark", "run", "a=1", "--", "basenam"], offers: ["basename"])
        try bash(["hark", "run", "--", "cat", "\(folder)/kept/m"], offers: ["\(folder)/kept/my file.json"])
    }

    @Test("the hark that is named with its folder is the one that is asked")
    func otherHark() throws {
        let other = home.files.path("hark")
        try home.files.write("#!/bin/sh\necho other\n", to: "hark")
        #expect(chmod(other, 0o755) == 0)
        try bash([other, "o"], offers: ["other"])
        try bash(["hark", "o"], offers: [""])
    }

    @Test("in bash on a terminal, the tab key completes a survey's name")
    func bashOnTerminal() throws {
        let programs = URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().path
        let screen = try TmuxScreen(home, environment: ["PATH": "\(programs):/usr/bin:/bin"])
        try screen.run(". '\(Self.scripts)/hark.bash'")
        try screen.type("hark results ra")
        try pressTab(on: screen, until: "hark results rating")
        try screen.press("Enter")
        try screen.wait(for: "answered")
    }

    @Test("zsh completes names, with titles where there are several", .enabled(if: isInstalled("zsh")))
    func zsh() throws {
        let programs = URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().path
        let screen = try TmuxScreen(home, environment: ["PATH": "\(programs):/usr/bin:/bin", "HOME": home.files.path])
        try screen.run("exec zsh -f")
        try screen.run("fpath=('\(Self.scripts)' $fpath); autoload -U compinit; compinit -u -D; echo rea''dy")
        try screen.wait(for: "ready")
        try screen.type("hark results ra")
        try pressTab(on: screen, until: "hark results rating")
        try screen.press("C-u")
        try screen.type("hark results np")
        try pressTab(on: screen, until: "nps-2026  -- Recommendation")
        for (line, expected) in [
            ("hark log --level=wa", "hark log --level=warning"), ("hark run -- basenam", "hark run -- basename"),
            ("hark import /usr/shar", "hark import /usr/share/"),
        ] {
            try screen.press("C-u")
            try screen.type(line)
            try pressTab(on: screen, until: expected)
        }
    }

    private func pressTab(on screen: TmuxScreen, until expected: String) throws {
        do {
            try waitUntil("it is completed", within: 30) {
                try screen.press("Tab")
                // What a key does comes a moment later.
                try? waitUntil("the key has been dealt with", within: 1) { try screen.text.contains(expected) }
                return try screen.text.contains(expected)
            }
        } catch {
            throw Failure("the screen shows no '\(expected)':\n\(try screen.text)")
        }
    }

    @Test("fish offers names with their titles", .enabled(if: isInstalled("fish")))
    func fish() throws {
        func offers(_ line: String, _ expected: String) throws {
            try shell(
                ["fish", "--no-config", "-c", "source '\(Self.scripts)/hark.fish'; complete -C '\(line)'"],
                prints: expected)
        }
        try offers("hark results np", "nps\tWould you recommend us?\nnps-2026\tRecommendation\n")
        try offers("hark delivery drop co", "collector\n")
        try offers("hark ret", "retention\tShow and apply how long events and answers are kept.\n")
        try offers(
            "hark fleet push --kind=fl", "--kind=flags\tThe kind of document: surveys, forms, flags.\n")
        try offers("hark run -- hark resul", "results\tShow the results of a survey.\n")
        try offers("hark config validate \(home.files.path)/config/surv", "\(home.files.path)/config/surveys.json\n")
        try offers("hark delivery drop collector co", "")
    }
}

/// Whether a program is in one of the places where Debian puts them.
private func isInstalled(_ program: String) -> Bool { access("/usr/bin/\(program)", X_OK) == 0 }
