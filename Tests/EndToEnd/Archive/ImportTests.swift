import Foundation
import HarkWire
import Testing

/// Taking the content of one store over into another.
@Suite(.endToEnd) struct ImportTests {
    /// An export of one daemon: each session's description and its event lines.
    private struct Export {
        var sessions: [(description: String, id: String, lines: [String])] = []

        /// The requests of an import, sessions first.
        var requests: [String] {
            sessions.map { #"{"id":1,"method":"session.import","params":{"session":\#($0.description)}}"# + "\n" }
                + sessions.flatMap { session in
                    session.lines.map {
                        #"{"id":2,"method":"event.import","params":{"sessionId":"\#(session.id)","event":\#($0)}}"#
                            + "\n"
                    }
                }
        }
    }

    private let target: DaemonHome

    init() throws { target = try DaemonHome() }

    private static let oddUsers = [
        "..", "../../etc/passwd", "/", "a/b", "a_b", "a\0b", "anon", "Anon", "ANON", "ada", "Ada", "äöü", "~", ".",
        ".hidden", " ", "new\nline", String(repeating: "u", count: 300), String(repeating: "U", count: 300), "con",
    ]

    /// A daemon with sessions of every kind, and its export.
    private func source(events: Int) throws -> (DaemonHome, Export) {
        let home = try DaemonHome()
        let daemon = try home.start()
        let client = try daemon.connect()
        for (number, user) in (ImportTests.oddUsers + [nil, nil]).enumerated() {
            let userId = user.map { JSONValue.string($0).description } ?? "null"
            try client.call(
                "session.start",
                #"{"app":"app\#(number % 4)","userId":\#(userId),"metadata":{"n":\#(number),"x":0.5,"s":"ü\u0000","b":true}}"#
            )
            for event in 0..<events {
                try client.send(
                    #"{"id":1,"method":"event.record","params":{"name":"event_\#(event)","app":"app\#(number % 4)","properties":{"i":\#(event),"d":1.0,"s":"a\"b\u0000\n","b":false,"":""}}}"#
                        + "\n")
            }
            for _ in 0..<events { _ = try client.readLine() }
        }
        try client.waitForArchive()
        #expect(try daemon.stop().ending == .exited(0))
        var export = Export()
        for (id, session) in try ArchiveFiles(home.state + "/archive").sessions {
            export.sessions.append((session.description.description, id, session.lines))
        }
        return (home, export)
    }

    /// Sends requests as fast as they are taken, and returns the replies.
    private func send(_ requests: [String], to client: SocketClient) throws -> [Reply] {
        var replies: [Reply] = []
        for start in stride(from: 0, to: requests.count, by: 500) {
            let part = requests[start..<min(start + 500, requests.count)]
            try client.send(part.joined())
            for _ in part { replies.append(try client.reply()) }
        }
        return replies
    }

    private static func withoutNumber(_ line: String) -> String {
        line.replacing(/"seq":\d+,/, with: "", maxReplacements: 1)
    }

    private func expectSame(_ client: SocketClient, as export: Export, inOrder: Bool = true) throws {
        for session in export.sessions {
            var lines = try client.lines(after: 0, #","sessionId":"\#(session.id)""#).map(ImportTests.withoutNumber)
            var expected = session.lines.map(ImportTests.withoutNumber)
            if !inOrder { (lines, expected) = (lines.sorted(), expected.sorted()) }
            #expect(lines == expected)
            var told = try client.call("session.get", #"{"sessionId":"\#(session.id)"}"#)["session"]?.objectValue
            #expect(told?["eventCount"] == .int(Int64(session.lines.count)))
            told?["eventCount"] = nil
            #expect(told == (try SocketClient.parse(Array(session.description.utf8)).objectValue))
        }
        #expect(try client.call("daemon.status")["store"]?["sessions"] == .int(Int64(export.sessions.count)))
    }

    @Test("E10: an import brings everything over but the numbers; a second one brings nothing more")
    func roundTrip() throws {
        let (_, export) = try source(events: 20)
        let daemon = try target.start()
        let client = try daemon.connect()
        for reply in try send(export.requests, to: client) {
            #expect(reply.result?["created"] == true || reply.result?["imported"] == true, "\(reply)")
        }
        try expectSame(client, as: export)
        for reply in try send(export.requests, to: client) {
            #expect(reply.result?["created"] == false || reply.result?["imported"] == false, "\(reply)")
        }
        try expectSame(client, as: export)
        try client.waitForArchive()
        #expect(try Set(ArchiveFiles(target.state + "/archive").lines) == Set(client.lines()))
        // An imported session tells its end also right after it was imported.
        let ended = try #require(export.sessions.first { $0.description.contains(#""endedAt":"2"#) })
        let again = try client.call("session.import", #"{"session":\#(ended.description)}"#)
        #expect(again["session"]?["endedAt"]?.stringValue != nil)
        #expect(try client.call("session.current", #"{"app":"app1"}"#)["session"] == .null)
    }

    @Test("an import that kill -9 interrupts can be begun again and doubles nothing")
    func interrupted() throws {
        let (_, export) = try source(events: 20)
        let requests = export.requests
        for part in [40, 200, 350] {
            let daemon = try target.start()
            let client = try daemon.connect()
            try client.send(requests.joined())
            for _ in 0..<part { _ = try client.reply() }
            daemon.kill()
        }
        let daemon = try target.start()
        _ = try send(requests, to: try daemon.connect())
        try expectSame(try daemon.connect(), as: export)
    }

    @Test("two imports of the same at the same time double nothing and refuse nothing")
    func atOnce() throws {
        let (_, export) = try source(events: 5)
        let daemon = try target.start()
        let requests = export.requests
        let clients = try (0..<4).map { _ in try daemon.connect() }
        let senders = clients.map { client in
            Thread { try? client.send(requests.joined()) }
        }
        for sender in senders { sender.start() }
        var new = 0
        for client in clients {
            for _ in requests {
                let reply = try client.reply()
                #expect(reply.result != nil, "\(reply)")
                new += reply.result?["created"] == true || reply.result?["imported"] == true ? 1 : 0
            }
        }
        #expect(new == requests.count)
        // Of an event that one has sent, another's next may come first.
        try expectSame(try daemon.connect(), as: export, inOrder: false)
    }

    @Test("what is imported behind a clear of its session is refused, and not lost with it")
    func behindClear() throws {
        let (_, export) = try source(events: 2)
        let daemon = try target.start()
        let client = try daemon.connect()
        let session = export.sessions[0]
        try client.call("session.import", #"{"session":\#(session.description)}"#)
        let event = #"{"sessionId":"\#(session.id)","event":\#(session.lines[0])}"#
        try client.call("event.import", event)
        let other = session.lines[1]
        try client.send(
            #"{"id":1,"method":"event.clear","params":{"all":true}}"# + "\n"
                + #"{"id":2,"method":"event.import","params":{"sessionId":"\#(session.id)","event":\#(other)}}"# + "\n")
        let replies = try [client.reply(), client.reply()]
        let imported = try #require(replies.first { $0.id == 2 })
        #expect(imported.reason == "notFound", "\(imported)")
        #expect(try client.lines().isEmpty)
        try client.call("session.import", #"{"session":\#(session.description)}"#)
        #expect(try client.call("event.import", event)["imported"] == true)
    }

    @Test("E7: every user id has a folder of its own in the archive tree, and none leads out of it")
    func folders() throws {
        let (home, export) = try source(events: 1)
        let users = try FileManager.default.contentsOfDirectory(atPath: home.state + "/archive/users")
        #expect(users.count == ImportTests.oddUsers.count + 1)
        #expect(Set(users.map { $0.lowercased() }).count == users.count, "no two differ by case alone")
        #expect(users.allSatisfy { $0.wholeMatch(of: /[a-z0-9._~-]{1,100}/) != nil && !$0.hasPrefix(".") })
        #expect(export.sessions.count == ImportTests.oddUsers.count + 2)
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: home.state))
                == ["archive", "hark.db", "hark.db.head", "hark.lock", "hark.reserve"])
    }
}
