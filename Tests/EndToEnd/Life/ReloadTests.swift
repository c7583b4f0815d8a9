import Foundation
import HarkWire
import Testing

/// Reading the configuration again: on SIGHUP and on request.
@Suite(.endToEnd) struct ReloadTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let client: SocketClient

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
        client = try daemon.connect()
    }

    private var retention: JSONValue? {
        get throws { try client.call("config.get")["config"]?["retention"] }
    }

    @Test("SIGHUP brings a good configuration into force and keeps a bad one out")
    func hangUp() throws {
        #expect(try retention == "long")
        #expect(try client.call("config.get")["file"] == .null)
        try home.configure(#"{"retention": "aggressive", /* why not */ "limits": {"connectionsPerUser": 3},}"#)
        daemon.child.signal(SIGHUP)
        try waitUntil("it is in force") { try retention == "aggressive" }
        #expect(try client.call("config.get")["file"] == .string(home.configuration + "/harkd.json"))

        let others = try (0..<2).map { _ in try daemon.connect() }
        for other in others { try other.call("hello") }
        #expect(try daemon.connect().reply().reason == "tooManyConnections")
        for other in others { try other.call("hello") }

        try home.configure(#"{"retention": "conservative", "archive": "yes"}"#)
        daemon.child.signal(SIGHUP)
        try waitUntil("it says what is wrong") { try daemon.errors.contains("$.archive: must be true or false") }
        #expect(try daemon.errors.contains("was kept"))
        #expect(try retention == "aggressive")

        try home.configure(#"{"retention": "none", "colour": "red"}"#)
        daemon.child.signal(SIGHUP)
        try waitUntil("it says what it ignores") { try daemon.errors.contains("'colour'") }
        #expect(try retention == "none")
        #expect(try client.call("config.get")["problems"]?[0]?["path"] == "$.colour")
    }

    @Test("daemon.reload answers with what is wrong, and config.validate before it comes to that")
    func reload() throws {
        #expect(try client.call("daemon.reload")["reloaded"] == true)
        let bad = #"{"retention": {"maxAgeDays": -1}}"#
        try home.configure(bad)
        let refusal = try client.ask("daemon.reload")
        #expect(refusal.reason == "invalidParams")
        #expect(refusal.message?.contains("$.retention.maxAgeDays") == true, "\(refusal)")
        #expect(refusal.message?.contains("was kept") == true)
        #expect(try retention == "long")
        let text = bad.replacing("\"", with: "\\\"")
        let check = try client.call("config.validate", #"{"text":"\#(text)"}"#)
        #expect(check["valid"] == false && check["errors"]?[0]?["path"] == "$.retention.maxAgeDays")
    }

    @Test("settings that are gone when they are read again stay in force, and that is said; an empty file ends them")
    func gone() throws {
        try home.configure(#"{"retention": "aggressive"}"#)
        try client.call("daemon.reload")
        try check("unlink") { unlink(home.configuration + "/harkd.json") }
        let refusal = try client.ask("daemon.reload")
        #expect(refusal.reason == "invalidParams")
        #expect(
            refusal.message?.contains("harkd.json is gone; the configuration in force was kept") == true, "\(refusal)")
        daemon.child.signal(SIGHUP)
        try waitUntil("it says so") { try daemon.errors.contains("harkd.json is gone") }
        #expect(try retention == "aggressive")
        try home.configure("{}")
        try client.call("daemon.reload")
        #expect(try retention == "long")
    }

    @Test("nothing is lost or doubled while the configuration is read again and again under load")
    func underLoad() throws {
        try home.configure(#"{"retention": "none"}"#)
        let writers = try [LoadWriter.Style(app: "a", window: 1), .init(app: "b", window: 100, sessionEvery: 4)]
            .enumerated().map { try LoadWriter("writer \($0)", $1, to: daemon) }
        for round in 0..<20 {
            try home.configure(round % 2 == 0 ? "{" : #"{"retention": "none"}"#)
            daemon.child.signal(SIGHUP)
            let before = writers[0].progress
            try waitUntil("writing goes on") { writers[0].progress > before + 3 }
        }
        for writer in writers { writer.end() }
        for writer in writers { writer.join() }
        var audit = StoreAudit()
        try audit.check(client, against: writers)
        #expect(audit.lines.count == writers.reduce(0) { $0 + $1.acknowledged.count })
    }
}
