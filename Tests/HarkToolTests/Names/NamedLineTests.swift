import Testing

@testable import HarkTool

@Suite struct NamedLineTests {
    private func kind(_ words: String...) -> NameKind? { NamedLine(words)?.kind }

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
        #expect(NamedLine(["counter", "get", "--app", "kiosk", ""])?.app == "kiosk")
        #expect(NamedLine(["counter", "get", "--app=kiosk", ""])?.app == "kiosk")
        #expect(NamedLine(["counter", "get", "-a", "kiosk", ""])?.app == "kiosk")
        #expect(NamedLine(["counter", "get", ""])?.app == nil)
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
        // A name that is registered here is not known yet.
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
