import Testing

@testable import HarkTool

@Suite struct UnfinishedLineTests {
    private func kind(_ words: String...) -> NameKind? {
        guard case .names(let kind)? = UnfinishedLine(words)?.values.values else { return nil }
        return kind
    }

    /// The commands and options that may stand in the last place.
    private func words(_ words: String...) -> [String] { UnfinishedLine(words)?.words.map(\.word) ?? [] }

    private func values(_ words: String...) -> Option.Values? { UnfinishedLine(words)?.values.values }

    @Test("what stands in the place of the last word is found behind options, their values and the words before")
    func place() {
        #expect(kind("results", "") == .survey)
        #expect(kind("results", "--json", "np") == .survey)
        #expect(kind("counter", "get", "-t", "integer", "op") == .counter)
        #expect(kind("counter", "get", "--type=integer", "op") == .counter)
        #expect(kind("clear", "--session", "01") == .session)
        #expect(kind("events", "-s", "") == .session)
        #expect(kind("prompt", "--id", "") == .prompt)
        #expect(kind("stats", "ch") == .event)
        #expect(kind("events", "--name", "") == .event)
        #expect(kind("delivery", "drop", "--", "") == .destination)
    }

    @Test("only the first argument of a command is a name, and no option is")
    func elsewhere() {
        #expect(kind("counter", "set", "opens", "") == nil)
        #expect(kind("delivery", "drop", "core", "1") == nil)
        #expect(kind("counter", "get", "--type", "") == nil)
        #expect(kind("record", "") == nil)
        #expect(kind() == nil)
        #expect(kind("nothing", "of", "this") == nil)
    }

    @Test("the app that is named before is the one whose counters are offered")
    func app() {
        #expect(UnfinishedLine(["counter", "get", "--app", "kiosk", ""])?.app == "kiosk")
        #expect(UnfinishedLine(["counter", "get", "--app=kiosk", ""])?.app == "kiosk")
        #expect(UnfinishedLine(["counter", "get", "-a", "kiosk", ""])?.app == "kiosk")
        #expect(UnfinishedLine(["counter", "get", ""])?.app == nil)
    }

    @Test("every command and option is offered with its summary")
    func offered() throws {
        for (path, command) in CommandTable.hark.walk(["hark"]) where command.name != "help" {
            let before = Array(path.dropFirst())
            let dash = try #require(UnfinishedLine(before + ["-"])).words
            for option in command.allOptions {
                let forms = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
                for form in forms { #expect(dash.contains { $0 == (form, option.summary) }, "\(path) \(form)") }
            }
            guard !command.members.isEmpty else { continue }
            let members = try #require(UnfinishedLine(before + [""])).words
            #expect(members.map(\.word) == command.members.map(\.name), "\(path)")
            #expect(members.map(\.summary) == command.commands.map(\.summary), "\(path)")
        }
        #expect(words("help", "").count == CommandTable.hark.members.count)
        #expect(words("help", "counter", "").contains("trigger"))
        #expect(words("help", "nothing", "") == [])
        #expect(words("nothing", "") == [])
    }

    @Test("an option that was given is not offered again, unless it may be repeated")
    func given() {
        #expect(words("log", "--").contains("--level"))
        for before in [["--level", "info"], ["--level=info"], ["-l", "info"], ["-linfo"], ["-ql", "info"]] {
            let words = UnfinishedLine(["log"] + before + ["text", "-"])?.words.map(\.word) ?? []
            #expect(!words.contains("--level") && !words.contains("-l") && words.contains("--json"), "\(before)")
        }
        #expect(words("destination", "add", "--names", "a", "--").contains("--names"))
        #expect(words("log", "--level", "-") == [] && words("log", "--", "-") == [])
    }

    @Test("options are offered without a dash only where nothing else can stand")
    func full() {
        #expect(words("status", "").contains("--json"))
        #expect(words("status", "x") == [])
        #expect(words("counter", "get", "opens", "").contains("--type"))
        #expect(words("counter", "get", "") == [] && words("counter", "set", "opens", "") == [])
        #expect(words("record", "") == [] && words("run", "--", "ls", "") == [])
    }

    @Test("a group of letters is continued, and a value may stand in the word of its option")
    func letters() throws {
        #expect(words("log", "-q").contains("-qj") && words("log", "-q").contains("-q"))
        #expect(!words("log", "-q").contains("-qq") && !words("log", "-q").contains("--quiet"))
        #expect(words("log", "-ql") == ["-ql"])
        #expect(words("log", "-qX") == [])
        let levels = ["info", "warning", "error", "messages"]
        for (typed, before) in [("--level=in", "--level="), ("-lin", "-l"), ("-qlin", "-ql")] {
            let line = try #require(UnfinishedLine(["log", typed]))
            #expect(line.values.values == .words(levels) && line.values.before == before && line.words.isEmpty)
            #expect(line.values.summary?.hasPrefix("The level") == true)
        }
        #expect(values("chart", "--svg=", "") == .names(.event))
        #expect(values("chart", "--svg=a") == .files)
        #expect(values("status", "--json=") == .any)
    }

    @Test("files, folders and programs are left to the shell")
    func shells() {
        #expect(values("import", "") == .folders && values("import", "here", "") == .any)
        #expect(values("config", "validate", "") == .files)
        #expect(values("chart", "backup", "--svg", "") == .files)
        #expect(values("run", "a=1", "") == .any)
        #expect(values("run", "a=1", "--", "") == .program)
        #expect(values("run", "--", "ls", "-") == .program)
    }

    /// Words of usages that name something, and why some of them are no names to be looked up.
    private static let named: [String: NameKind] = [
        "SURVEY": .survey, "FORM": .form, "PRESENTATION": .presentation, "DESTINATION": .destination,
        "SURVEY | PRESENTATION": .surveyOrPresentation,
    ]
    private static let families: [String: NameKind] = [
        "counter": .counter, "execution": .execution, "watch": .watch, "session": .session,
    ]
    private static let new: Set = [
        // What is made known here has no name yet.
        ["hark", "counter", "register"], ["hark", "execution", "add"], ["hark", "watch", "add"],
    ]

    @Test("every argument and option that names something is completed and may be abbreviated")
    func declared() {
        for (path, command) in CommandTable.hark.walk(["hark"]) where !Self.new.contains(path) {
            for usage in command.usage {
                let first = usage.hasPrefix("[") ? usage.dropFirst().prefix { $0 != "]" } : usage.prefix { $0 != " " }
                var expected = Self.named[String(first)]
                if ["NAME", "ID", "ID | current"].contains(String(first)), path.count == 3 {
                    expected = Self.families[path[1]]
                }
                guard let expected else { continue }
                #expect(command.completes == .names(expected), "\(path)")
            }
            for option in command.options where ["ID", "SURVEY", "DESTINATION"].contains(option.value ?? "") {
                guard case .names = option.values else {
                    Issue.record("\(path) --\(option.name)")
                    continue
                }
            }
        }
    }

    @Test("every command that changes or removes what it names reads names strictly")
    func strict() throws {
        let reading: Set = [
            "results", "answers", "explain", "ask", "form", "show", "flush", "resume", "dead", "schema", "stats",
            "chart",
            "status", "list", "plan", "preview",
        ]
        for (path, command) in CommandTable.hark.walk(["hark"]) {
            guard case .names = command.completes else { continue }
            #expect(command.isStrict(Arguments()) != reading.contains(command.name), "\(path)")
        }
        let clear = try #require(CommandTable.hark.member("clear"))
        #expect(clear.isStrict(Arguments()))
    }
}
