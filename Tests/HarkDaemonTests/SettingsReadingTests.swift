import Foundation
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer
@testable import HarkSettings

/// Valid settings of `harkd.json`, and the errors for others.
@Suite struct SettingsReadingTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func files(_ folder: String) throws -> [URL] {
        let found = try FileManager.default.contentsOfDirectory(
            at: root.appendingPathComponent("Tests/Fixtures/\(folder)"), includingPropertiesForKeys: nil)
        return found.filter { $0.pathExtension == "json" }
    }

    private func read(_ text: String) -> ReadSettings { ReadSettings(Array(text.utf8)) }

    @Test("the settings that the schema takes are taken, every one of them known")
    func right() throws {
        for file in try Self.files("settings") {
            let reader = ReadSettings(Array(try Data(contentsOf: file)))
            #expect(reader.errors == [], "\(file.lastPathComponent)")
            #expect(reader.warnings == [], "\(file.lastPathComponent)")
        }
    }

    @Test("the settings that the schema refuses are refused")
    func wrong() throws {
        for file in try Self.files("settings/refused") {
            #expect(!ReadSettings(Array(try Data(contentsOf: file))).errors.isEmpty)
        }
    }

    @Test("every setting does what it says")
    func everything() throws {
        let text = try String(
            contentsOf: Self.root.appendingPathComponent("Tests/Fixtures/settings/everything.json"), encoding: .utf8)
        let settings = read(text).configuration
        #expect(
            settings.retention
                == RetentionPolicy(
                    maxAgeDays: 30, maxSessionsPerUser: 50, maxStoreBytes: 500_000_000, maxAnswerAgeDays: 365))
        #expect(settings.retentionPreset == nil)
        #expect(read(#"{"retention":{"maxAgeDays":30}}"#).configuration.retention.maxAnswerAgeDays == 730)
        let forGood = read(#"{"retention":{"maxAgeDays":30,"answers":{"maxAgeDays":null}}}"#).configuration
        #expect(forGood.retention.maxAnswerAgeDays == nil)
        #expect(!settings.archive)
        let limits = settings.limits
        #expect(limits.lineBytes == 4_096 && limits.lineBytesPerUser == 100_000)
        #expect(limits.connectionsPerUser == 10 && limits.subscriptionsPerUser == 100)
        #expect(limits.queuedBytes == 65_536 && limits.queuedBytesPerUser == 1_000_000)
        #expect(limits.clientBytes == 2_000_000 && limits.nesting == 16)
        #expect(settings.administratorGroup == "sudo")
        #expect(settings.logLevel == .debug)
        #expect(settings.surveys == .file("/srv/surveys.json"))
        #expect(settings.forms == .file("/srv/forms.json"))
        #expect(settings.notify.command == ["my-hook", "--now"])
        #expect(settings.notify.timeoutSeconds == 5)
        #expect(settings.notify.open == ["xterm", "-e", "hark", "ask"])
        #expect(settings.debug == DebugMode(bypassesGating: true, delay: 10_000, attemptCooldown: nil))
        #expect(settings.flags == FlagSettings(place: .destination("core"), refreshSeconds: 60))
    }

    @Test("comments and trailing commas are fine, and an empty file is as good as none")
    func comments() {
        #expect(read("{ /* mine */ \"archive\": false, } // end").configuration.archive == false)
        var none = Configuration()
        none.sections = SettingsSections(Family.sections)
        #expect(read("{}").configuration == none)
    }

    @Test("every setting of the schema, misspelt, is told with its line and what was meant")
    func misspelt() throws {
        let schema = try JSONDocument(
            Array(try Data(contentsOf: Self.root.appendingPathComponent("packaging/schema/harkd.schema.json"))), .json)
        for name in schema.value["properties"]?.objectValue?.keys ?? [] where name != "$schema" {
            let wrong = String(name.dropLast()) + "x"
            let warnings = read("{\n  \"\(wrong)\": 0\n}").warnings
            #expect(
                warnings.map(\.message) == ["there is no setting '\(wrong)'; it is ignored; did you mean '\(name)'?"])
            #expect(warnings.map(\.place) == [TextPlace(line: 2, column: 3)])
            for inner in Self.members(schema.value["properties"]?[name]) {
                let wrong = String(inner.dropLast()) + "x"
                let warnings = read("{\"\(name)\": {\"\(wrong)\": 0}}").warnings
                #expect(warnings.map(\.path) == ["$.\(name).\(wrong)"])
                #expect(warnings.first?.message.hasSuffix("did you mean '\(inner)'?") == true, "\(name).\(inner)")
            }
        }
        for (text, word) in [
            (#"{"limits":{"nestin":9}}"#, "nesting"), (#"{"surveys":{"fil":"a"}}"#, "file"),
            (#"{"notify":{"comand":["a"]}}"#, "command"), (#"{"debug":{"bypassGatings":true}}"#, "bypassGating"),
            (#"{"flags":{"file":"a","refreshSecond":1}}"#, "refreshSeconds"),
            (#"{"destinations":[{"name":"a","kind":"http","url":"http://x","header":{}}]}"#, "headers"),
        ] {
            #expect(read(text).warnings.map(\.message).first?.hasSuffix("did you mean '\(word)'?") == true, "\(text)")
        }
    }

    /// The settings in a setting that is an object, or may be one; what a policy of numbers holds has errors of its own.
    private static func members(_ schema: JSONValue?) -> [String] {
        let forms = [schema].compactMap(\.self) + ["anyOf", "oneOf"].flatMap { schema?[$0]?.arrayValue ?? [] }
        return forms.flatMap { $0["properties"]?.objectValue?.keys ?? [] }.filter {
            !$0.hasPrefix("max") && $0 != "answers"
        }
    }

    @Test("whole numbers may be written with a point, as before")
    func wholeNumbers() {
        let reader = read(
            #"{"retention":{"maxAgeDays":30.0},"limits":{"nesting":1e1},"notify":{"timeoutSeconds":5.0}}"#)
        #expect(reader.errors == [] && reader.configuration.retention.maxAgeDays == 30)
        #expect(reader.configuration.limits.nesting == 10 && reader.configuration.notify.timeoutSeconds == 5)
    }

    @Test(
        "a fault is told with its place",
        arguments: [
            (#"{"retention":"forever"}"#, "$.retention"),
            (#"{"retention":{"maxAgeDays":0}}"#, "$.retention.maxAgeDays"),
            (#"{"limits":{"nesting":1}}"#, "$.limits.nesting"), (#"{"limits":5}"#, "$.limits"),
            (#"{"archive":"yes"}"#, "$.archive"), (#"{"logLevel":"loud"}"#, "$.logLevel"),
            (#"{"notify":{"timeoutSeconds":0}}"#, "$.notify.timeoutSeconds"),
            (#"{"surveys":{"file":"a","url":"b"}}"#, "$.surveys"),
            (#"{"surveys":{"url":"b","refreshSeconds":0}}"#, "$.surveys.refreshSeconds"),
            (#"{"notify":{"command":[]}}"#, "$.notify.command"), (#"{"debug":"on"}"#, "$.debug"), ("[]", "$"),
            (#"{"flags":{"file":"a","destination":"b"}}"#, "$.flags"), (#"{"flags":{"apiKeyFile":"k"}}"#, "$.flags"),
            (#"{"flags":{"url":"b","refreshSeconds":1}}"#, "$.flags.url"), (#"{"flags":[]}"#, "$.flags"),
            (#"{"flags":{"apiKey":"sc_123"}}"#, "$.flags.apiKey"),
            (#"{"flags":{"destination":"core"}}"#, "$.flags.destination"), ("{", "$"),
        ])
    func fault(_ text: String, _ path: String) {
        #expect(read(text).errors.map(\.path) == [path])
    }

    @Test("faults are told in the order of the text, whatever a name looks like, each with its place")
    func order() {
        let reader = read(
            #"""
            {"logLevel": "loud",
             "counters": {"a b": {"initial": 1, "scope": "moon"}, "c\"d": 5},
             "archive": 1}
            """#)
        #expect(
            reader.errors.map(\.path) == [
                "$.logLevel", #"$.counters["a b"].scope"#, #"$.counters["c\"d"]"#, "$.archive",
            ])
        #expect(
            reader.errors.map(\.place) == [
                TextPlace(line: 1, column: 2), TextPlace(line: 2, column: 37), TextPlace(line: 2, column: 55),
                TextPlace(line: 3, column: 2),
            ])
    }

    @Test("a limit of retention that is misspelt is refused: without it, more would be kept or removed than was meant")
    func misspeltLimit() {
        let reader = read(#"{"retention":{"maxAgeDay":30}}"#)
        #expect(reader.errors.map(\.path) == ["$.retention.maxAgeDay"])
        #expect(reader.errors.map(\.message) == ["there is no member 'maxAgeDay' here; did you mean 'maxAgeDays'?"])
    }

    @Test(
        "a setting that does not exist is a warning with its place",
        arguments: [
            (#"{"archives":true}"#, "$.archives"), (#"{"limits":{"lines":1}}"#, "$.limits.lines"),
            (#"{"notify":{"colour":1}}"#, "$.notify.colour"), (#"{"surveys":{"files":1}}"#, "$.surveys.files"),
        ])
    func unknown(_ text: String, _ path: String) {
        let reader = read(text)
        #expect(reader.errors == [])
        #expect(reader.warnings.map(\.path) == [path])
    }

    @Test("docs/reference/settings.md tells every setting of the schema, and no other")
    func documented() throws {
        let schema = try JSONReader.read(
            Data(contentsOf: Self.root.appendingPathComponent("packaging/schema/harkd.schema.json")))
        let path = Self.root.appendingPathComponent("docs/reference/settings.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let documented = page.split(separator: "\n").filter {
            $0.hasPrefix("| `") && $0.split(separator: "|").count == 4
        }
        .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        let ofFleet = ["fleetMember", "fleetMachine", "fleetHub"].flatMap { name in
            schema["$defs"]?[name]?["properties"]?.objectValue?.keys ?? []
        }
        #expect(Set(documented) == Set(Self.settings(schema["properties"], "") + ofFleet.map { "fleet.\($0)" }))
    }

    /// The settings by their places; those of a policy belong to the page's section on retention.
    private static func settings(_ properties: JSONValue?, _ prefix: String) -> [String] {
        (properties?.objectValue?.members ?? []).filter { $0.key != "$schema" }.flatMap { member in
            let name = prefix + member.key
            let alternatives = member.value["oneOf"]?.arrayValue?.compactMap { $0["properties"] } ?? []
            let inner = ([member.value["properties"]].compactMap(\.self) + (name == "retention" ? [] : alternatives))
                .flatMap { settings($0, name + ".") }
            // An object with no meaning apart from its members has no row of its own.
            let isPlain = member.value["properties"] != nil && name != "notify"
            return (isPlain ? [] : [name]) + inner
        }
    }

    @Test("L8: flags come from the first destination that can hand them out, unless something else is said")
    func flags() {
        func place(_ flags: String) -> String? {
            let settings = read(
                #"{"flags":\#(flags),"destinations":[{"name":"hook","kind":"http","url":"http://hook"},"#
                    + #"{"name":"off","kind":"sensorcore","host":"http://off","enabled":false},"#
                    + #"{"name":"one","kind":"sensorcore","host":"http://one/"},"#
                    + #"{"name":"two","kind":"sensorcore","host":"http://two"}]}"#)
            #expect(settings.errors == [])
            let configuration = settings.configuration
            return configuration.flags.origin(among: configuration.destinations, in: "/etc/hark")?.place
        }
        #expect(place("{}") == "http://one/api/config")
        #expect(place(#"{"destination":"two"}"#) == "http://two/api/config")
        #expect(place(#"{"destination":"off"}"#) == "http://off/api/config")
        #expect(place(#"{"url":"https://x/y"}"#) == "https://x/y")
        #expect(place(#"{"file":"flags.json"}"#) == "/etc/hark/flags.json")
        #expect(place("null") == nil)
        #expect(Configuration().flags.origin(among: [], in: "/") == nil)
    }
}
