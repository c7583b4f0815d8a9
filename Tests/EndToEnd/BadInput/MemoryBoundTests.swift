import Foundation
import HarkTesting
import HarkWire
import Testing

/// Unread replies and the data of a user have bounds, and so has the memory that they take.
@Suite(.endToEnd) struct MemoryBoundTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    private static let large = String(repeating: "x", count: 60_000)

    /// Puts counters into the store that no daemon would take any more, as one of before did.
    private func store(counters count: Int) throws {
        let daemon = try home.start()
        try daemon.connect().call("counter.register", #"{"name":"first"}"#)
        try daemon.stop()
        // A string of 60,000 bytes, packed.
        let value = "CAST(x'05E0D403' || replace(hex(zeroblob(30000)), '0', 'x') AS BLOB)"
        try StoreFile(of: home).execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO counter SELECT \(getuid()), 'default', 'c' || i, 2, \(value), NULL, 0, 0, NULL FROM n
            """)
    }

    @Test("three subscribers to thousands of large counters cost no more than the bound on what waits for them")
    func largeCounters() throws {
        try store(counters: 1_500)
        let daemon = try home.start()
        let observer = try daemon.connect()
        #expect(try observer.call("counter.get", #"{"name":"c7"}"#)["value"]?.stringValue?.utf8.count == 60_000)
        let before = try daemon.memory
        let clients = try (0..<3).map { _ in try daemon.connect() }
        for client in clients { try client.send(#"{"id":1,"method":"counter.subscribe"}"# + "\n") }
        try waitUntil("they have been answered") {
            try clients.allSatisfy { client in
                var entry = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
                return try check("poll") { poll(&entry, 1, 0) } > 0
            }
        }
        try observer.call("counter.trigger", #"{"name":"first"}"#)
        // They would take 270 MB.
        #expect(try daemon.memory - before < 60 << 20, "\((try? daemon.memory - before) ?? 0)")

        // All counters are listed, in pages, and the change once.
        let first = try clients[0].reply().result
        var names = Set(first?["counters"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? [])
        var next = first?["next"]?.stringValue
        #expect(names.count < 100 && next != nil)
        while let after = next {
            let page = try clients[0].call("counter.list", #"{"after":"\#(after)","limit":1000}"#)
            names.formUnion(page["counters"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? [])
            next = page["next"]?.stringValue
        }
        #expect(names.count == 1_501)
        #expect(try clients[0].notification()["params"]?["name"] == "first")
    }

    @Test("replies that wait for a commit count as well: who asks for many large ones is held up, not buffered")
    func heldReplies() throws {
        try store(counters: 100)
        let daemon = try home.start()
        let observer = try daemon.connect()
        try observer.call("counter.get", #"{"name":"c7"}"#)
        let before = try daemon.memory
        let client = try daemon.connect()
        let text = (0..<600).map { #"{"id":\#($0),"method":"counter.list"}"# + "\n" }.joined()
        Thread.detachNewThread { try? client.send(text) }
        var largest = 0
        try waitUntil("it is cut off") {
            largest = max(largest, try daemon.memory)
            return try observer.call("daemon.status")["clients"]?["slowReaders"] == 1
        }
        // They would take 600 MB.
        #expect(largest - before < 100 << 20, "\((largest - before) >> 20) MiB")
    }

    @Test("what all clients of a user are owed has a bound of its own, and whoever is owed little is served on")
    func allClients() throws {
        try home.configure(#"{"archive":false,"limits":{"queuedBytes":8388608,"queuedBytesPerUser":4194304}}"#)
        let daemon = try home.start()
        let writer = try daemon.connect()
        let idle = try (0..<20).map { _ in try daemon.connect() }
        for client in idle { try client.call("event.subscribe", #"{"include":["events"]}"#) }
        for number in 0..<60 {
            try writer.call("event.record", #"{"name":"n\#(number)","properties":{"t":"\#(Self.large)"}}"#)
        }
        let clients = try writer.call("daemon.status")["clients"]
        let cut = Int(clients?["slowReaders"]?.intValue ?? 0)
        #expect(cut > 0 && cut < 20, "\(cut)")
        var reasons: Set<String> = []
        for client in idle {
            while let line = try? client.readLine(within: 1) {
                let reply = Reply(try SocketClient.parse(line))
                if reply.reason == "slowReader", let message = reply.message { reasons.insert(message) }
            }
        }
        #expect(reasons.count == 1 && reasons.first?.contains("limits.queuedBytesPerUser") == true, "\(reasons)")
        try writer.call("event.record", #"{"name":"after"}"#)
    }

    @Test("a burst larger than may wait for a subscriber reaches one that reads")
    func burst() throws {
        try home.configure(#"{"archive":false,"retention":"none"}"#)
        let daemon = try home.start()
        let reader = try daemon.connect()
        try reader.call("event.subscribe", #"{"include":["events"]}"#)
        let writer = try daemon.connect()
        let text = String(repeating: "x", count: 4_000)
        let count = 6_000
        let lines = (0..<count).map {
            #"{"method":"event.record","params":{"name":"n\#($0)","properties":{"t":"\#(text)"}}}"# + "\n"
        }
        Thread.detachNewThread { try? writer.send(lines.joined()) }
        for number in 0..<count {
            #expect(try reader.notification()["params"]?["event"]?["name"] == .string("n\(number)"))
        }
    }

    @Test("subscriptions are bounded for all connections of a user together")
    func subscriptions() throws {
        try home.configure(#"{"limits":{"subscriptionsPerUser":5}}"#)
        let daemon = try home.start()
        let (one, other) = (try daemon.connect(), try daemon.connect())
        for method in ["event", "counter", "execution"] { try one.call("\(method).subscribe") }
        for method in ["survey", "network"] { try other.call("\(method).subscribe") }
        for method in ["event", "counter", "execution", "survey", "network"] {
            let refusal = try other.ask("\(method).subscribe")
            #expect(refusal.reason == "tooLarge", "\(refusal)")
            #expect(refusal.message?.contains("limits.subscriptionsPerUser") == true)
        }
        try one.call("subscription.cancel", #"{"subscription":2}"#)
        try other.call("counter.subscribe")
    }

    @Test("counters and executions are bounded for all apps of a user together")
    func holdings() throws {
        var daemon = try home.start()
        var client = try daemon.connect()
        func register(_ number: Int) throws -> Reply {
            try client.ask(
                "counter.register", #"{"app":"a\#(number)","name":"c","initial":"\#(Self.large)"}"#)
        }
        var number = 0
        while try register(number).result != nil { number += 1 }
        #expect((200..<300).contains(number))
        // It is the same after a start, and for an app that nobody has touched.
        try daemon.stop()
        daemon = try home.start()
        client = try daemon.connect()
        let refusal = try register(number)
        #expect(refusal.reason == "tooLarge" && refusal.path == "$.params.initial", "\(refusal)")
        #expect(refusal.message?.contains("counter.reset") == true)
        #expect(
            try client.ask("counter.set", #"{"app":"a1","name":"c","value":"\#(Self.large)"}"#).reason == "tooLarge")
        try client.call("counter.set", #"{"app":"a1","name":"c","value":1}"#)

        func add(_ number: Int) throws -> Reply {
            try client.ask(
                "execution.add",
                #"{"app":"a\#(number)","id":"e","run":{"exec":["true","\#(Self.large)"]},"listensTo":["c"]}"#)
        }
        number = 0
        while try add(number).result != nil { number += 1 }
        #expect((200..<300).contains(number))
        #expect(try add(number).message?.contains("execution.remove") == true)
        try client.call("execution.remove", #"{"app":"a3","id":"e"}"#)
        #expect(try add(number).result != nil)
        // A list of them has pages.
        let page = try client.call("execution.list", #"{"limit":1000}"#)
        #expect(page["executions"]?.arrayValue?.count ?? 0 < 30 && page["next"] != .null)

        // After a clear of everything there is room again.
        try client.call("event.clear", #"{"all":true}"#)
        #expect(try register(0).result != nil)
        #expect(try add(0).result != nil)
    }

    @Test("without memory for a line the line is refused, and the daemon goes on")
    func noMemory() throws {
        try home.configure(#"{"limits":{"lineBytes":67108864}}"#)
        home.variables["MALLOC_ARENA_MAX"] = "1"
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("event.record", #"{"name":"before"}"#)
        let status = try String(contentsOfFile: "/proc/\(daemon.id)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmSize:") }
        let size = try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
        let limit = try Child.run(["prlimit", "--pid", "\(daemon.id)", "--as=\(size + 24 << 20)"])
        #expect(limit.ending == .exited(0), "\(limit.errors)")
        let other = try daemon.connect()
        let text = String(repeating: "x", count: 40 << 20)
        try other.send(#"{"id":1,"method":"event.record","params":{"name":"a","properties":{"t":"\#(text)"}}}"# + "\n")
        let refusal = try other.reply()
        #expect(refusal.reason == "internalError" && refusal.message?.contains("memory") == true, "\(refusal)")
        try other.call("event.record", #"{"name":"after"}"#)
        try client.call("event.record", #"{"name":"after"}"#)
    }

    @Test("lines that have half come are bounded for all clients of a user together; one client always has room")
    func unfinishedLines() throws {
        try home.configure(#"{"limits":{"lineBytesPerUser":1048576}}"#)
        let daemon = try home.start()
        let (one, other) = (try daemon.connect(), try daemon.connect())
        let begin = #"{"id":1,"method":"event.record","params":{"name":"large","properties":{"t":""#
        let text = String(repeating: "x", count: 900_000)
        let end = "\"}}}\n"
        try one.send(begin + text)
        // Until the daemon has read that, there is room.
        var refusal: Reply
        repeat {
            try other.send(begin + text + end)
            refusal = try other.reply()
        } while refusal.result != nil
        #expect(
            refusal.reason == "tooLarge" && refusal.message?.contains("limits.lineBytesPerUser") == true, "\(refusal)")
        // Short requests are taken all the same, and an open session can be ended.
        try other.call("event.record", #"{"name":"short"}"#)
        try one.send(end)
        #expect(try one.reply().result != nil)
        try other.send(begin + text + end)
        #expect(try other.reply().result != nil)
    }

    @Test(
        "lines that have half come are bounded for all accounts together, and whoever comes next is served",
        .enabled(if: geteuid() == 0))
    func allAccounts() throws {
        home.options = ["--system"]
        try check("chmod") { chmod(home.files.path, 0o755) }
        try home.configure(#"{"limits":{"clientBytes":8388608}}"#)
        let daemon = try home.start()
        let before = try daemon.memory
        let text = String(repeating: "x", count: 900_000)
        let begin = #"{"id":1,"method":"event.record","params":{"name":"large","properties":{"t":""# + text
        var crowd = try (0..<30).map { try daemon.connect(uid: 61_000 + $0) }
        for client in crowd { try client.send(begin) }
        func told() throws -> [SocketClient] {
            try crowd.filter { client in
                var entry = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
                return try check("poll") { poll(&entry, 1, 0) } > 0
            }
        }
        try waitUntil("those for whom there is no room are told") { try told().count >= 18 }
        for client in try told() {
            let refusal = try client.reply()
            #expect(
                refusal.reason == "tooLarge" && refusal.message?.contains("limits.clientBytes") == true, "\(refusal)")
        }
        // Without a bound it would be 30 MB.
        #expect(try daemon.memory - before < 20 << 20, "\((try? daemon.memory - before) ?? 0)")
        try daemon.connect(uid: 62_000).call("event.record", #"{"name":"short"}"#)
        crowd = []
        let next = try daemon.connect(uid: 62_001)
        try waitUntil("what those took who are gone is free again") {
            try next.send(begin + "\"}}}\n")
            return try next.reply().result != nil
        }
    }

    @Test("a page of surveys that wait ends by its bytes, and goes on")
    func pendingPages() throws {
        let title = String(repeating: "t", count: 150_000)
        let scene = try SurveyScene(SurveyScene.document(SurveyScene.plain("long", title: title)))
        let client = try scene.home.start().connect()
        for user in 1...20 {
            try client.startSession("user-\(user)")
            try client.record("go")
        }
        var users: [String] = []
        var after = ""
        for _ in 1...10 {
            let page = try client.call("survey.pending", #"{"limit":1000\#(after)}"#)
            let found = page["surveys"]?.arrayValue ?? []
            #expect(found.count < 10)
            users += found.compactMap { $0["userId"]?.stringValue }
            guard let next = page["next"]?.stringValue else { break }
            after = #","after":"\#(next)""#
        }
        #expect(users == (1...20).map { "user-\($0)" })
    }
}
