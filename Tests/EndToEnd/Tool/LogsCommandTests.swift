import Foundation
import HarkWire
import Testing

/// `hark logs`: what was logged can be read here, with a destination or without.
@Suite(.endToEnd) struct LogsCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    private func messages(_ words: String...) throws -> [String] {
        try home.hark(["logs", "--json"] + words).lines.map {
            try SocketClient.parse(Array($0.utf8))["message"]?.stringValue ?? ""
        }
    }

    @Test("L1: without a destination a line is kept, and says so; each filter shows its lines and no others")
    func filters() throws {
        let reply = try home.hark("log", "paper is low", "--level", "warning", "tray:=2", "--json").lines[0]
        #expect(try SocketClient.parse(Array(reply.utf8))["destinations"] == [])
        // A script is told nothing.
        #expect(try home.hark("log", "backup done", "--user", "ada").output.isEmpty)
        try home.hark("log", "payment failed", "--level", "error", "--app", "shop")
        try home.hark("log", "hello", "--level", "messages")
        try home.hark("record", "no.log")
        #expect(try messages() == ["paper is low", "backup done", "payment failed", "hello"])
        #expect(try messages("--level", "warning") == ["paper is low", "payment failed"])
        #expect(try messages("--level", "error") == ["payment failed"])
        #expect(try messages("--level", "messages") == ["hello"])
        #expect(try messages("--user", "ada") == ["backup done"])
        #expect(try messages("--app", "shop") == ["payment failed"])
        #expect(try messages("--limit", "2") == ["payment failed", "hello"])
        #expect(try messages("--until", "2020-01-01") == [])
        #expect(try messages("--since", "10m").count == 4)
        let line = try home.hark("logs", "--level", "warning", "--app", "default").lines[0]
        #expect(line.hasSuffix("warning   paper is low  tray=2"), "\(line)")

        try home.hark("clear", "--user", "ada", "--yes")
        #expect(try messages() == ["paper is low", "payment failed", "hello"])
    }

    @Test("L1: with --follow lines come as they are logged, those before them first")
    func follow() throws {
        try home.hark("log", "before")
        let follower = try RunningTool(home, "logs", "--follow", "--json")
        defer { follower.child.kill() }
        func followed() throws -> [String] {
            try follower.outputLines.map { try SocketClient.parse(Array($0.utf8))["message"]?.stringValue ?? "" }
        }
        try waitUntil("the past is shown") { try followed() == ["before"] }
        try home.hark("record", "no.log")
        try home.hark("log", "after")
        try waitUntil("the new one is shown") { try followed() == ["before", "after"] }
    }
}
