import Foundation
import HarkWire
import Testing

/// E5: every way to read events, against the same filters over a plain array.
@Suite(.endToEnd) struct ListTests {
    private struct Event {
        let line: String
        let sequence: UInt64
        let name: String
        let session: String
        let user: String?
        let app: String
        let time: String
    }

    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let client: SocketClient

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"retention":"none"}"#)
        daemon = try home.start()
        client = try daemon.connect()
    }

    /// Records over several connections at once, so that commits hold events of many sessions. Returns all events.
    private func fill() throws -> [Event] {
        var sessions: [String: (user: String?, app: String)] = [:]
        for round in 0..<4 {
            let clients = try (0..<4).map { _ in try daemon.connect() }
            for (number, client) in clients.enumerated() {
                let user = [nil, "ada", "bob", "ada"][(number + round) % 4]
                let session = try client.call(
                    "session.start", #"{"app":"app\#(number)","userId":\#(user.map { "\"\($0)\"" } ?? "null")}"#)
                sessions[try session["session"]?["id"]?.text ?? ""] = (user, "app\(number)")
            }
            for part in 0..<10 {
                // By turns every app on one connection, so that the sessions are mixed within a commit, or each app on
                // its own.
                let requests = (0..<80).map { number in
                    let app = number % 4
                    let size = part == 5 && app == 0 ? 3_000 : 10
                    return
                        #"{"id":\#(number),"method":"event.record","params":{"name":"tap_\#((number / 4 * 7 + part) % 5)_\#(app)","app":"app\#(app)","properties":{"t":"\#(String(repeating: "x", count: size))"}}}"#
                        + "\n"
                }
                if part % 2 == 0 {
                    try clients[round].send(requests.joined())
                    for _ in 0..<80 { _ = try clients[round].readLine() }
                } else {
                    for (app, client) in clients.enumerated() {
                        try client.send(stride(from: app, to: 80, by: 4).map { requests[$0] }.joined())
                    }
                    for client in clients { for _ in 0..<20 { _ = try client.readLine() } }
                }
            }
        }
        return try client.lines().map { line in
            let event = try EventLine(line)
            let session = try #require(sessions[event.session])
            let time = try #require(line.firstMatch(of: /"timestamp":"([^"]+)"/)).1
            return Event(
                line: line, sequence: event.sequence, name: event.name, session: event.session, user: session.user,
                app: session.app, time: String(time))
        }
    }

    /// A random filter as JSON members, and the same as a predicate.
    private func randomFilter(_ events: [Event]) -> (members: String, includes: (Event) -> Bool) {
        let example = events.randomElement()!
        var members = ""
        var tests: [(Event) -> Bool] = []
        func maybe(_ member: String, _ test: @escaping (Event) -> Bool) {
            guard Int.random(in: 0..<3) == 0 else { return }
            members += "," + member
            tests.append(test)
        }
        maybe(#""sessionId":"\#(example.session)""#) { $0.session == example.session }
        if let user = example.user {
            maybe(#""userId":"\#(user)""#) { $0.user == user }
        } else {
            maybe(#""userId":null"#) { $0.user == nil }
        }
        maybe(#""app":"\#(example.app)""#) { $0.app == example.app }
        let parts = example.name.split(separator: "_").map(String.init)
        switch Int.random(in: 0..<4) {
        case 0: maybe(#""name":"\#(example.name)""#) { $0.name == example.name }
        case 1: maybe(#""name":"tap_\#(parts[1])_*""#) { $0.name.hasPrefix("tap_\(parts[1])_") }
        case 2: maybe(#""name":"*_\#(parts[2])""#) { $0.name.hasSuffix("_\(parts[2])") }
        default: maybe(#""name":"t*\#(parts[1])*""#) { $0.name.dropFirst().contains(parts[1]) }
        }
        maybe(#""since":"\#(example.time)""#) { $0.time >= example.time }
        let other = events.randomElement()!
        maybe(#""until":"\#(other.time)""#) { $0.time < other.time }
        let all = tests
        return (members, { event in all.allSatisfy { $0(event) } })
    }

    @Test("300 random filters, in both orders and by pages of any size, give what they ask for")
    func filters() throws {
        let events = try fill()
        #expect(events.count == 4 * 4 * 200)
        for _ in 0..<300 {
            let (members, includes) = randomFilter(events)
            let isDescending = Bool.random()
            let limit = [1, 3, 50, 1_000, 10_000].randomElement()!
            let start = Bool.random() ? events.randomElement()!.sequence : nil
            var expected = events.filter(includes)
            if isDescending { expected.reverse() }
            if let start { expected = expected.filter { isDescending ? $0.sequence < start : $0.sequence > start } }
            // Few per page would be many pages: the beginning is enough then.
            let maxPages = limit < 50 ? 5 : .max
            var found: [String] = []
            var from = start.map(Int64.init)
            var pages = 0
            repeat {
                let position = from.map { ",\"\(isDescending ? "beforeSeq" : "afterSeq")\":\($0)" } ?? ""
                let order = isDescending ? #","order":"desc""# : ""
                let page = try client.call(
                    "event.list", #"{"as":"lines","limit":\#(limit)\#(order)\#(position)\#(members)}"#)
                found += try page["lines"]?.arrayValue?.map { try $0.text } ?? []
                from = (page["nextAfterSeq"] ?? page["nextBeforeSeq"])?.intValue
                pages += 1
            } while from != nil && pages < maxPages
            let wanted = expected.map(\.line).prefix(pages < maxPages ? .max : limit * maxPages)
            #expect(
                found.elementsEqual(wanted), "\(members) \(isDescending) \(limit): \(found.count), not \(wanted.count)")
        }
    }

    @Test("objects and lines say the same, and current means the app's current session")
    func shapes() throws {
        let events = try fill()
        let objects = try client.call("event.list", #"{"limit":10000,"app":"app1"}"#)["events"]?.arrayValue ?? []
        let lines = try events.filter { $0.app == "app1" }.map { try SocketClient.parse(Array($0.line.utf8)) }
        #expect(objects == lines)
        let current = try client.call("session.current", #"{"app":"app2"}"#)["session"]?["id"]?.text
        let found = try client.lines(after: 0, #","current":true,"app":"app2""#)
        #expect(found == events.filter { $0.session == current }.map(\.line))
        #expect(
            try client.call("event.list", #"{"current":true,"app":"none"}"#) == ["events": [], "nextAfterSeq": .null])
    }

    @Test("an event can be read as soon as its reply is there, and with requests behind it also before")
    func readYourWrites() throws {
        for number in 0..<50 {
            try client.call("event.record", #"{"name":"n\#(number)"}"#)
            #expect(try daemon.connect().lines(after: 0, #","name":"n\#(number)""#).count == 1)
        }
        try client.send(
            #"{"id":1,"method":"event.record","params":{"name":"behind"}}"# + "\n"
                + #"{"id":2,"method":"event.list","params":{"name":"behind"}}"# + "\n")
        let replies = try [client.reply(), client.reply()]
        #expect(replies.first { $0.id == 2 }?.result?["events"]?.arrayValue?.count == 1)
    }
}
