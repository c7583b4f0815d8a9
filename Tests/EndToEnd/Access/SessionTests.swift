import Foundation
import HarkWire
import Testing

/// Sessions and the scopes they belong to (E1, E2, E5).
@Suite(.endToEnd) struct SessionTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let client: SocketClient

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
        client = try daemon.connect()
    }

    private func current(_ app: String) throws -> JSONValue? {
        try client.call("session.current", #"{"app":"\#(app)"}"#)["session"]
    }

    @Test("E1: each app has a session of its own; a new one ends the one before")
    func apps() throws {
        let first = try client.call("session.start", #"{"app":"a","userId":"ada"}"#)["session"]
        let other = try client.call("session.start", #"{"app":"b"}"#)["session"]
        #expect(first?["anonymous"] == false && other?["anonymous"] == true && other?["userId"] == .null)
        let second = try client.call("session.start", #"{"app":"a","userId":"ada"}"#)["session"]
        #expect(try current("a") == second)
        #expect(try current("b") == other)
        let old = try client.call("session.get", #"{"sessionId":"\#(try first?["id"]?.text ?? "")"}"#)["session"]
        #expect(old?["endedAt"]?.stringValue ?? "" >= old?["startedAt"]?.stringValue ?? "?")
        #expect(try client.call("session.end", #"{"app":"a"}"#)["session"]?["endedAt"] != .null)
        #expect(try current("a") == .null)
        #expect(try current("b") == other)
        #expect(try client.call("session.end", #"{"sessionId":"\#(try other?["id"]?.text ?? "")"}"#)["session"] != nil)
        #expect(try current("b") == .null)
    }

    @Test("E1: metadata keep their types")
    func metadata() throws {
        let text = #"{"s":"text","i":1,"d":1.0,"b":true,"big":9223372036854775807,"":"empty"}"#
        try client.send(#"{"id":1,"method":"session.start","params":{"metadata":\#(text)}}"# + "\n")
        let reply = String(decoding: try #require(try client.readLine()), as: UTF8.self)
        #expect(reply.contains(#""metadata":\#(text)"#), "\(reply)")
    }

    @Test("E2: an event without a session starts an anonymous one, or the named user's")
    func implicit() throws {
        let session = try client.call("event.record", #"{"name":"a"}"#)["sessionId"]
        #expect(try current("default")?["id"] == session)
        #expect(try current("default")?["anonymous"] == true)
        #expect(try client.call("event.record", #"{"name":"b"}"#)["sessionId"] == session)
        let refusal = try client.ask("event.record", #"{"name":"c","userId":"ada"}"#)
        #expect(refusal.reason == "conflict" && refusal.path == "$.params.userId")
        try client.call("event.record", #"{"name":"d","app":"other","userId":"ada"}"#)
        #expect(try current("other")?["userId"] == "ada")
        try client.call("event.record", #"{"name":"e","app":"other","userId":"ada"}"#)
        #expect(try client.lines().map { try EventLine($0).name } == ["a", "b", "d", "e"])
    }

    @Test("the current sessions survive a restart and kill -9", arguments: [SIGTERM, SIGKILL])
    func survive(_ signal: CInt) throws {
        let running = try client.call("session.start", #"{"app":"a","userId":"ada","metadata":{"n":1}}"#)["session"]
        try client.call("session.start", #"{"app":"b"}"#)
        try client.call("session.end", #"{"app":"b"}"#)
        let implicit = try client.call("event.record", #"{"name":"x","app":"c"}"#)["sessionId"]
        try daemon.stop(signal)
        let next = try home.start().connect()
        #expect(try next.call("session.current", #"{"app":"a"}"#)["session"] == running)
        #expect(try next.call("session.current", #"{"app":"b"}"#)["session"] == .null)
        #expect(try next.call("event.record", #"{"name":"y","app":"c"}"#)["sessionId"] == implicit)
        #expect(try next.call("event.record", #"{"name":"y","app":"a"}"#)["sessionId"] == running?["id"])
        let ended = try next.call("session.end", #"{"sessionId":"\#(try running?["id"]?.text ?? "")"}"#)
        #expect(ended["session"]?["id"] == running?["id"])
    }

    @Test("E5: sessions are listed page by page, in both orders and by every filter")
    func list() throws {
        var model: [(id: String, user: String?, app: String)] = []
        try home.configure(#"{"retention":"none"}"#)
        try client.call("daemon.reload")
        for number in 0..<60 {
            let user = [nil, "ada", "bob", "ADA"][number % 4]
            let app = "app\(number % 3)"
            let userId = user.map { "\"\($0)\"" } ?? "null"
            let session = try client.call("session.start", #"{"app":"\#(app)","userId":\#(userId)}"#)
            model.append((try session["session"]?["id"]?.text ?? "", user, app))
        }
        func ids(_ filter: String) throws -> [String] {
            var found: [String] = []
            var cursor = ""
            while true {
                let page = try client.call("session.list", #"{"limit":7\#(filter)\#(cursor)}"#)
                found += try page["sessions"]?.arrayValue?.map { try $0["id"]?.text ?? "" } ?? []
                guard let next = page["next"]?.stringValue else { return found }
                cursor = #","after":"\#(next)""#
            }
        }
        #expect(try ids("") == model.map(\.id))
        #expect(try ids(#","order":"desc""#) == model.map(\.id).reversed())
        #expect(try ids(#","userId":"ada""#) == model.filter { $0.user == "ada" }.map(\.id))
        #expect(try ids(#","userId":null"#) == model.filter { $0.user == nil }.map(\.id))
        #expect(
            try ids(#","userId":"bob","app":"app2","order":"desc""#)
                == model.filter { $0.user == "bob" && $0.app == "app2" }.map(\.id).reversed())
        #expect(try ids(#","current":true"#) == model.suffix(3).map(\.id))
    }

    @Test("an imported session stands in the list where it started, not where it came")
    func imported() throws {
        let own = try client.call("session.start")["session"]?["id"]?.text ?? ""
        func add(_ number: Int, startedAt: String) throws -> String {
            let id = "0199e0f4-8c7a-7000-8000-00000000000\(number)"
            try client.call("session.import", #"{"session":{"id":"\#(id)","startedAt":"\#(startedAt)"}}"#)
            return id
        }
        let late = try add(1, startedAt: "2999-01-01T00:00:00.000Z")
        let early = try add(2, startedAt: "2001-01-01T00:00:00.000Z")
        let earliest = try add(3, startedAt: "1969-12-31T23:59:59.999Z")
        for (order, expected) in [("asc", [earliest, early, own, late]), ("desc", [late, own, early, earliest])] {
            for limit in 1...4 {
                var found: [String] = []
                var cursor = ""
                repeat {
                    let page = try client.call("session.list", #"{"order":"\#(order)","limit":\#(limit)\#(cursor)}"#)
                    found += try page["sessions"]?.arrayValue?.map { try $0["id"]?.text ?? "" } ?? []
                    cursor = page["next"]?.stringValue.map { #","after":"\#($0)""# } ?? ""
                } while !cursor.isEmpty
                #expect(found == expected)
            }
        }
        #expect(try home.hark("session", "list", "--limit", "2").lines.map { $0.contains("2999") } == [false, true])
        #expect(try client.ask("session.list", #"{"after":"12"}"#).reason == "invalidParams")
    }

    @Test("sessions with much metadata come in pages that fit")
    func largeMetadata() throws {
        let text = String(repeating: "m", count: 900_000)
        for app in 0..<12 { try client.call("session.start", #"{"app":"\#(app)","metadata":{"t":"\#(text)"}}"#) }
        var found = 0
        var cursor = ""
        while true {
            let page = try client.call("session.list", "{\(cursor)}")
            found += page["sessions"]?.arrayValue?.count ?? 0
            guard let next = page["next"]?.stringValue else { break }
            cursor = #""after":"\#(next)""#
        }
        #expect(found == 12)
    }
}
