import Foundation
import HarkWire
import Testing

/// Flags from a file.
@Suite(.endToEnd) struct FlagFileTests {
    private let home: DaemonHome

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"flags": {"file": "flags.json"}}"#)
        try home.files.write("{ \"on\": true, // a comment\n \"retries\": 3 }", to: "config/flags.json")
    }

    private func value(_ client: SocketClient, _ key: String) throws -> JSONValue? {
        try client.call("flags.get", #"{"key":"\#(key)"}"#)["value"]
    }

    private func problems(_ client: SocketClient) throws -> JSONValue? {
        try client.call("flags.get")["source"]?["problems"]
    }

    @Test(
        "L8: a changed file is in force by itself; a broken or missing one leaves the last good, over a restart as well"
    )
    func life() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        #expect(try value(client, "retries") == 3)
        #expect(try client.call("flags.get")["source"]?["place"]?.stringValue == home.configuration + "/flags.json")
        try home.files.write(#"{"retries": 4}"#, to: "config/flags.json")
        try waitUntil("the change is in force") { try value(client, "retries") == 4 }

        try home.files.write(#"{"retries": "#, to: "config/flags.json")
        try waitUntil("the fault is told") { try problems(client)?[0] != nil }
        #expect(try value(client, "retries") == 4)
        try check("unlink") { unlink(home.configuration + "/flags.json") }
        #expect(try client.call("flags.refresh")["outcome"] == "failed")
        #expect(try value(client, "retries") == 4)
        try daemon.stop()

        let next = try home.start()
        let other = try next.connect()
        #expect(try value(other, "retries") == 4)
        #expect(try other.call("flags.get")["source"]?["isCopy"] == true)
        try home.files.write(#"{"retries": 5}"#, to: "config/flags.json")
        try waitUntil("the new file is in force") { try value(other, "retries") == 5 }
        #expect(try other.call("flags.get")["source"]?["isCopy"] == false)
        #expect(try other.call("flags.refresh")["outcome"] == "unchanged")
    }

    @Test("L8: hark flags lists, gets for scripts, and refreshes")
    func tool() throws {
        let daemon = try home.start()
        let list = try home.hark("flags")
        #expect(list.ending == .exited(0))
        #expect(list.lines == ["flag     value", "on       true", "retries  3"])
        #expect(list.errors.hasPrefix("# \(home.configuration)/flags.json, up to date at "))
        #expect(try home.hark("flags", "--json").output.hasPrefix(#"{"flags":{"on":true,"#))

        try home.files.write(#"{"text": "a \"b\"\tc", "half": 0.5, "n": 2}"#, to: "config/flags.json")
        #expect(try home.hark("flags", "refresh").ending == .exited(0))
        for (words, output) in [
            (["text"], "a \"b\"\tc"), (["text", "--type", "string"], "a \"b\"\tc"),
            (["text", "--type", "raw"], #""a \"b\"\tc""#), (["n", "--type", "double"], "2.0"),
            (["half", "--type", "int", "--default", "7"], "7"), (["none", "--default", "x"], "x"),
            (["n", "--type", "int", "--default", "7"], "2"), (["half", "--type", "bool", "--default", "true"], "true"),
        ] {
            let run = try home.hark(["flags", "get"] + words)
            #expect(run.ending == .exited(0), "\(words)")
            #expect(run.output == output + "\n", "\(words)")
            #expect(run.errors.isEmpty)
        }
        let absent = try home.hark("flags", "get", "none")
        #expect(absent.ending == .exited(1))
        #expect(absent.output.isEmpty)
        #expect(absent.errors.contains("there is no flag 'none'"))
        let other = try home.hark("flags", "get", "half", "--type", "int")
        #expect(other.ending == .exited(1))
        #expect(other.errors.contains("'half' is no int"))
        for words in [["--type", "float"], ["--type", "int", "--default", "many"]] {
            #expect(try home.hark(["flags", "get", "n"] + words).ending == .exited(64))
        }

        try home.files.write("{", to: "config/flags.json")
        let failed = try home.hark("flags", "refresh")
        #expect(failed.ending == .exited(75))
        #expect(failed.errors.contains("not JSON"))
        let said = try home.hark("flags").errors
        #expect(said.contains("hark: warning: ") && !said.contains("$: "), "\(said)")

        try daemon.stop()
        let gone = try home.hark("flags", "get", "n", "--type", "int", "--default", "7")
        #expect(gone.ending == .exited(0))
        #expect(gone.output == "7\n")
        #expect(gone.errors.isEmpty)
        let without = try home.hark("flags", "get", "n")
        #expect(without.ending == .exited(1))
        #expect(without.errors.contains("no daemon answers"))
    }

    @Test("flags can be taken from elsewhere, or from nowhere, by reloading the configuration")
    func reload() throws {
        let client = try home.start().connect()
        #expect(try value(client, "retries") == 3)
        try home.files.write(#"{"retries": 9}"#, to: "config/other.json")
        try home.configure(#"{"flags": {"file": "other.json"}}"#)
        try client.call("config.reload")
        #expect(try value(client, "retries") == 9)
        try home.files.write(#"{"retries": 1}"#, to: "config/flags.json")
        try home.configure(#"{"flags": null}"#)
        try client.call("config.reload")
        #expect(try value(client, "retries") == .null)
        #expect(try client.call("flags.get")["source"] == .null)
        #expect(try client.call("flags.refresh")["outcome"] == "none")
        #expect(try home.hark("flags").errors.contains("no flags are configured"))
    }
}
