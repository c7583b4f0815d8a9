import Foundation
import HarkWire
import Testing

/// `hark config validate` and `harkd --check`: settings are checked without a daemon.
@Suite(.endToEnd) struct ConfigCheckTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    private func validate(_ words: String..., input: String? = nil) throws -> ToolRun {
        let line = (["hark", "config", "validate"] + words).joined(separator: " ")
        let environment = "cd '\(home.configuration)'; export HARK_CONFIG='\(home.configuration)'; "
        return try home.shell(environment + (input.map { "printf '%s' '\($0)' | " } ?? "") + line)
    }

    @Test("a misspelt setting is told with its line, its column and what was meant, and is not fine")
    func misspelt() throws {
        try home.configure("{\n  // ours\n  \"archive\": true,\n  \"retenton\": \"none\"\n}")
        for words in [["harkd.json"], []] {
            let run = try words.isEmpty ? validate() : validate(words[0])
            #expect(run.ending == .exited(1))
            #expect(run.output == "")
            let file = words.isEmpty ? home.configuration + "/harkd.json" : "harkd.json"
            #expect(
                run.errors
                    == "\(file):4:3: warning: $.retenton: there is no setting 'retenton'; it is ignored; did you mean "
                    + "'retention'?\n")
        }
    }

    @Test("what is fine is said to be so, and what cannot be used is told fault by fault")
    func verdicts() throws {
        try home.configure("{\"archive\": false}")
        #expect(try validate().output == "\(home.configuration)/harkd.json: fine\n")
        #expect(try validate().ending == .exited(0))
        try home.configure("{\"archive\": 1,\n\"logLevel\": \"loud\"}")
        let wrong = try validate()
        #expect(wrong.ending == .exited(78))
        #expect(wrong.errors.contains("harkd.json:1:2: error: $.archive: must be true or false\n"))
        #expect(wrong.errors.contains("harkd.json:2:1: error: $.logLevel: must be one of"))
        let text = try validate("-", input: "{\"archive\": true\n\"x\": 1}")
        #expect(text.ending == .exited(78))
        #expect(text.errors == "standard input:2:1: error: this is not JSON: a comma is missing before this\n")
        let none = try validate("nowhere.json")
        #expect(none.ending == .exited(66) && none.errors.contains("nowhere.json cannot be read"))
        #expect(try validate("--json", "nowhere.json").output.contains(#""valid":false"#))
    }

    @Test("surveys and forms are told by what is in them, and checked with the settings that lead to them")
    func documents() throws {
        try home.configure("{\"forms\": {\"file\": \"ours.json\"}}")
        try home.files.write(
            """
            {"surveys": [
              {"id": "a", "titel": "T", "title": "T", "message": "M", "options": ["x", "y"],
               "trigger": {"event": {"name": "e"}}}
            ]}
            """, to: "config/surveys.json")
        let warning = "surveys.json:2:15: warning: $.surveys[0].titel: unknown member 'titel'; it has no effect"
        #expect(try validate("surveys.json").errors.hasPrefix(warning))
        let all = try validate()
        #expect(all.ending == .exited(78))
        #expect(all.errors.contains(warning) && all.errors.contains("ours.json: error: cannot be read"))
    }

    @Test("a name that stands twice is told, and the first counts as ever")
    func twice() throws {
        try home.configure("{\"archive\": false,\n \"archive\": true}")
        let run = try validate()
        #expect(run.ending == .exited(1))
        #expect(run.errors.contains("harkd.json:2:2: warning: $.archive: stands in its object already; the first"))
        let daemon = try home.start()
        #expect(try daemon.connect().call("config.get")["config"]?["archive"] == false)
    }
}
