import Foundation
import HarkTesting
import HarkWire
import Testing

/// The recipes in docs/guides, run from the pages as they are. (That of units runs in Tests/Systemd, those of fleets in
/// Tests/Fleet, that of kiosks in Tests/Windows.)
@Suite(.endToEnd) struct RecipeTests {
    private let home: DaemonHome

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        // Programs that the daemon runs find hark as well.
        home.variables["PATH"] = PageReader.path
    }

    /// The environment of a reader's script, which is no more than cron's.
    private var environment: [String: String] {
        ["HARK_SOCKET": home.socket, "HOME": home.files.path, "SHELL": "/bin/sh", "PATH": PageReader.path, "TZ": "UTC"]
    }

    /// Runs shell lines of the page, and expects them to succeed.
    @discardableResult
    private func shell(_ script: String, _ words: String...) throws -> String {
        let run = try Child.run(["/bin/sh", "-euc", script, "sh"] + words, environment: environment)
        guard run.ending == .exited(0), run.errors == "" else {
            throw Failure("\(script)\n\(run.ending): \(run.output)\(run.errors)")
        }
        return run.output
    }

    /// The commands of crontab lines, as cron hands them to the shell.
    private func commands(_ crontab: String) throws -> [String] {
        var variables = ""
        return try crontab.split(separator: "\n").compactMap { line in
            // NAME=VALUE is a variable of all lines behind it.
            if line.contains("="), line.prefix(while: { $0 != "=" }).allSatisfy({ $0.isLetter || $0 == "_" }) {
                variables += "export \(line); "
                return nil
            }
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            try #require(fields.count == 6)
            for field in fields.prefix(5) {
                try #require(field.allSatisfy { "0123456789*-,/".contains($0) }, "\(line)")
            }
            // Cron ends a line at a percent sign.
            #expect(!fields[5].contains("%"))
            return variables + fields[5].trimmingCharacters(in: .whitespaces)
        }
    }

    private func write(_ text: String, to path: String) throws {
        let file = URL(fileURLWithPath: home.files.path(path))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((text + "\n").utf8).write(to: file)
        try check("chmod") { chmod(file.path, 0o755) }
    }

    private func events(_ name: String) throws -> [JSONValue] {
        try home.hark("events", "--name", name, "--json").lines.map { line in
            try JSONReader.read(line)["properties"] ?? .null
        }
    }

    /// Waits for a question and answers it in the place of a person.
    private func answer(_ survey: String, _ words: String...) throws {
        var said = ""
        do {
            try waitUntil("\(survey) is asked and answered") {
                let run = try home.hark(["answer", survey] + words)
                said = run.errors
                return run.ending == .exited(0)
            }
        } catch {
            throw Failure("\(survey) is not answered: \(said)")
        }
    }

    @Test("A backup script leaves a trace of each run, with what went wrong")
    func backup() throws {
        let page = try DocumentedPage("docs/guides/programs.md")
        let daemon = try home.start()
        let blocks = try page.blocks("sh", of: "A backup script")
        try write("a letter", to: "Documents/letter")
        try write(blocks[0], to: "bin/backup")
        try shell(#""$HOME/bin/backup""#)
        #expect(try events("backup").first?["exitCode"]?.intValue == 0)
        #expect(try events("backup").first?["from"]?.stringValue == home.files.path("Documents"))
        #expect(try events("backup.size").first?["bytes"]?.intValue ?? 0 > 100)
        let failed = try Child.run([home.files.path("bin/backup"), "/nowhere"], environment: environment)
        #expect(failed.ending != .exited(0))
        for line in blocks[1].split(separator: "\n") { #expect(try !shell(String(line)).isEmpty, "\(line)") }
        #expect(try shell(String(blocks[1].split(separator: "\n")[0])).contains("/nowhere"))
        withExtendedLifetime(daemon) {}
    }

    @Test("A cron job is recorded with nothing but what cron gives it")
    func cron() throws {
        let page = try DocumentedPage("docs/guides/programs.md")
        let daemon = try home.start()
        try write("#!/bin/sh\necho made >&2\nexit 3", to: "bin/backup")
        let jobs = try commands(page.block("crontab", of: "A cron job"))
        #expect(jobs.count == 2)
        let nightly = try Child.run(["/bin/sh", "-c", jobs[0]], environment: environment)
        #expect(nightly.ending == .exited(3) && nightly.output == "" && nightly.errors == "")
        #expect(try shell(jobs[1]) == "")
        #expect(try events("nightly").map { $0["exitCode"]?.intValue } == [3])
        let used = try #require(try events("disk.used").first?["percent"]?.intValue)
        #expect((0...100).contains(used))
        for line in try page.block("sh", of: "A cron job").split(separator: "\n") {
            #expect(try !shell(String(line)).isEmpty, "\(line)")
        }
        withExtendedLifetime(daemon) {}
    }

    @Test("An alarm comes when the backup has not come, and again the next time")
    func alarm() throws {
        let page = try DocumentedPage("docs/guides/watch.md")
        let title = "An alarm when the backup has not come"
        try home.files.write(try page.block("json", of: title), to: "config/surveys.json")
        let daemon = try home.start()
        let blocks = try page.blocks("sh", of: title)
        #expect(blocks[0].contains("26h"))
        // A second is as long as 26 hours, and shorter.
        try shell(blocks[0].replacing("26h", with: "1s"))
        try answer("alarm", "--option", "I see to it")
        #expect(try events("watch.missed").first?["watch"]?.stringValue == "backup")
        try home.hark("run", "--name", "backup", "--", "true")
        #expect(try events("watch.recovered").count == 1)
        try answer("alarm", "--option", "I see to it")
        for line in blocks[1].split(separator: "\n") { #expect(try shell(String(line)).contains("backup"), "\(line)") }
        withExtendedLifetime(daemon) {}
    }

    @Test("A shop's door is counted, and its hundredth visitor noticed")
    func door() throws {
        let page = try DocumentedPage("docs/guides/counters.md")
        let daemon = try home.start()
        let title = "A shop's door"
        let blocks = try page.blocks("sh", of: title)
        #expect(try shell(blocks[0]).contains("added hundredth"))
        try home.hark("counter", "set", "visitors", "98")
        try shell(blocks[1])
        #expect(try events("hundredth_visitor").isEmpty)
        try shell(blocks[1])
        try waitUntil("the hundredth is noticed") { try events("hundredth_visitor").count == 1 }
        try shell(blocks[1])
        #expect(try shell(blocks[2]).hasPrefix("101\n"))
        #expect(try shell(blocks[2]).contains("door: events, every hour"))
        for job in try commands(page.block("crontab", of: title)) { try shell(job) }
        #expect(try home.hark("counter", "get", "visitors").output == "0\n")
        #expect(try events("hundredth_visitor").count == 1)
        withExtendedLifetime(daemon) {}
    }

    @Test("A lab's daily question waits for whoever comes")
    func lab() throws {
        let page = try DocumentedPage("docs/guides/ask-from-a-script.md")
        let daemon = try home.start()
        let title = "A lab's daily question"
        let job = try #require(try commands(page.block("crontab", of: title)).first)
        let asking = try Child(["/bin/sh", "-c", job], environment: environment)
        try answer("lab-day", "--option", "Odd", "--text", "a pump")
        #expect(try asking.wait() == .exited(0))
        let lines = try page.block("sh", of: title).split(separator: "\n").map(String.init)
        #expect(try shell(lines[0]).contains("Odd"))
        try shell("cd; \(lines[1])")
        #expect(try home.files.text("lab.csv").contains("Odd||a pump"))
        withExtendedLifetime(daemon) {}
    }

    @Test("A daily question has everybody at the machine take part, without cron")
    func daily() throws {
        let page = try DocumentedPage("docs/guides/sampling.md")
        let title = "A daily question"
        try home.files.write(try page.block("json", of: title), to: "config/surveys.json")
        let daemon = try home.start()
        let lines = try page.block("sh", of: title).split(separator: "\n").map(String.init)
        try #require(lines.count == 2)
        try waitUntil("the account takes part") {
            try home.hark(["study", "list", "lab-day"]).output.contains("active")
        }
        #expect(try shell(lines[0]).contains("active"))
        #expect(try shell(lines[1]).contains("shown        0"))
        #expect(try home.hark("study", "plan", "lab-day", "--days", "7").output.contains("at 1020"))
        withExtendedLifetime(daemon) {}
    }

    @Test("A study of everyday moods has somebody take part, and tells how it goes")
    func study() throws {
        let page = try DocumentedPage("docs/guides/sampling.md")
        let title = "A study of everyday moods"
        try home.files.write(try page.block("json", of: title), to: "config/surveys.json")
        let daemon = try home.start()
        let blocks = try page.blocks("sh", of: title)
        try #require(blocks.count == 2)
        #expect(try shell(blocks[0]).contains("ada takes part in moment"))
        let status = try shell("cd \"$HOME\"; " + blocks[1])
        #expect(status.contains("no prompt's time has come yet"))
        let plan = try home.hark("study", "plan", "moment", "--user", "ada", "--days", "8").output
        #expect(plan.contains("blocks 4 3600 540-1260"))
        withExtendedLifetime(daemon) {}
    }

    @Test("The first webhook gets what is recorded")
    func webhook() throws {
        let page = try DocumentedPage("docs/guides/send.md")
        let daemon = try home.start()
        let title = "The first webhook"
        // Whichever port is free, instead of the page's.
        let server = try page.block("python", of: title)
        #expect(server.contains("8080"))
        try home.files.write(
            server.replacing("8080), Hook).serve", with: "0), Hook); print(hook.server_port, flush=True); hook.serve")
                .replacing("http.server.HTTPServer(", with: "hook = http.server.HTTPServer("), to: "hook.py")
        let output = try home.files.create("received")
        defer { close(output) }
        let hook = try Child(
            ["/usr/bin/python3", "-u", home.files.path("hook.py")], output: output, errors: home.files.path("problems"))
        var port = ""
        try waitUntil("the server listens") {
            port = try home.files.text("received").split(separator: "\n").first.map(String.init) ?? ""
            return !port.isEmpty
        }
        try home.configure(try page.block("json", of: title).replacing("8080", with: port))
        let lines = try shell(page.block("sh", of: title))
        #expect(lines.contains("hook"))
        try waitUntil("the event has come") { try home.files.text("received").contains(#""name":"door_opened""#) }
        withExtendedLifetime((daemon, hook)) {}
    }

    @Test("An alarm comes to a phone as a line of text")
    func phone() throws {
        let page = try DocumentedPage("docs/guides/chats.md")
        let daemon = try home.start()
        let title = "An alarm on your phone"
        let door = try Receiver().door("phone")
        try door.keepBodies()
        let blocks = try page.blocks("sh", of: title)
        #expect(blocks.count == 2)
        let lines = blocks[0].replacing("https://ntfy.sh/your-own-topic", with: "\(door.url)/chat/topic")
        #expect(lines.contains(door.url))
        #expect(try shell(lines).contains("phone"))
        try waitUntil("the alarm has come") { try !door.bodies.isEmpty }
        let body = try #require(try door.bodies.first)
        #expect(body["text"]?.stringValue?.hasSuffix(": alarm what=the door is open") == true, "\(body)")
        #expect(body["headers"]?["Content-Type"]?.stringValue?.hasPrefix("text/plain") == true)
        try shell(blocks[1])
        #expect(try !shell("hark delivery").contains("phone"))
        withExtendedLifetime(daemon) {}
    }

    @Test("A question before a risk lets only a Yes through")
    func risk() throws {
        let page = try DocumentedPage("docs/guides/ask-from-a-script.md")
        let daemon = try home.start()
        try write(try page.block("sh", of: "A question before a risk"), to: "deploy")
        for (option, printed) in [("Yes", "deploying\n"), ("No", "")] {
            let output = try home.files.create("output-\(option)")
            defer { close(output) }
            let script = try Child([home.files.path("deploy")], environment: environment, output: output)
            try answer("prompt", "--option", option)
            #expect(try script.wait() == .exited(0))
            #expect(try home.files.text("output-\(option)") == printed)
        }
        #expect(try events("deploy.asked").map { $0["answer"]?.stringValue } == ["Yes", "No"])
        withExtendedLifetime(daemon) {}
    }
}
