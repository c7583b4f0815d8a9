import Foundation
import HarkWire
import Testing

/// Too many clients, and clients that do not go away or do not read.
@Suite(.endToEnd) struct CrowdTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    @Test("of 300 connections, 256 are served and the rest are told why not")
    func tooMany() throws {
        let daemon = try home.start()
        var clients = [try daemon.connect()]
        // The client that checked the start is gone.
        try waitUntil("nobody else is there") {
            try clients[0].call("daemon.status")["clients"]?["connections"] == 1
        }
        for _ in 1..<300 { clients.append(try daemon.connect()) }
        for client in clients[256...] {
            let refusal = try client.reply()
            #expect(refusal.reason == "tooManyConnections" && refusal.code == -32005 && refusal.id == .null)
            #expect(refusal.message?.contains("limits.connectionsPerUser") == true)
            #expect(try client.readLine() == nil)
        }
        for client in clients[..<256] { #expect(try client.ask("event.record", #"{"name":"a"}"#).result != nil) }
        clients.removeLast(44)
        clients.removeFirst(6)
        try waitUntil("six places are free") {
            try clients[0].call("daemon.status")["clients"]?["connections"] == 250
        }
        for _ in 0..<6 {
            clients.append(try daemon.connect())
            try clients[clients.count - 1].call("hello")
        }
    }

    @Test("clients that subscribed, stopped sending and vanished do not take up places")
    func vanishedSubscribers() throws {
        let daemon = try home.start()
        let observer = try daemon.connect()
        for _ in 0..<300 {
            let client = try daemon.connect()
            try client.send(#"{"id":1,"method":"event.subscribe","params":{"name":"never"}}"# + "\n")
            client.finishSending()
            #expect(try client.reply().result?["subscription"] == 1)
        }
        try waitUntil("they are noticed to be gone") {
            let clients = try observer.call("daemon.status")["clients"]
            return clients?["connections"] == 1 && clients?["subscriptions"] == 0
        }
    }

    @Test("257 clients that each sent 70 waits and went do not lock their user out", arguments: [false, true])
    func goneWaiters(finishFirst: Bool) throws {
        let daemon = try home.start()
        var clients = [try daemon.connect()]
        let asked = try clients[0].call("prompt.ask", #"{"question":"Now?","text":true,"keep":true}"#)
        let id = try #require(asked["prompt"]?["promptId"]?.stringValue)
        // The client that checked the start is gone.
        try waitUntil("nobody else is there") {
            try clients[0].call("daemon.status")["clients"]?["connections"] == 1
        }
        while clients.count < 257 { clients.append(try daemon.connect()) }
        #expect(try clients[256].reply().reason == "tooManyConnections")
        let waits = String(
            repeating: #"{"id":1,"method":"prompt.wait","params":{"promptId":"\#(id)"}}"# + "\n", count: 70)
        for client in clients {
            // The last of them is gone already.
            try? client.send(waits)
            if finishFirst { client.finishSending() }
        }
        clients = []
        // Kept, as its place is as good as taken until the daemon sees that it is gone.
        var found: SocketClient?
        try waitUntil("their user can connect again") {
            let client = try daemon.connect()
            if (try? client.ask("hello"))?.result != nil { found = client }
            return found != nil
        }
        let next = try #require(found)
        try waitUntil("all are gone") { try next.call("daemon.status")["clients"]?["connections"] == 1 }
        #expect(try next.call("prompt.get", #"{"promptId":"\#(id)"}"#)["prompt"]?["state"] == "open")
    }

    @Test("a subscriber that has stopped sending still gets what it subscribed to")
    func halfClosedSubscriber() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.send(#"{"id":1,"method":"event.subscribe","params":{"include":["events"]}}"# + "\n")
        client.finishSending()
        _ = try client.reply()
        let writer = try daemon.connect()
        for number in 0..<3 {
            try writer.call("event.record", #"{"name":"n\#(number)"}"#)
            let event = try client.notification()["params"]?["event"]
            #expect(event?["name"] == .string("n\(number)"))
        }
    }

    @Test("beyond what open files allow clients are told so, the others are served, and it recovers by itself")
    func outOfDescriptors() throws {
        home.prefix = ["prlimit", "--nofile=96:96"]
        let daemon = try home.start()
        let first = try daemon.connect()
        var crowd = try (0..<100).map { _ in try daemon.connect() }
        // A client that got its answer already cannot be sent to any more.
        for client in crowd { try? client.send(#"{"id":1,"method":"hello"}"# + "\n") }
        #expect(try crowd[0].reply().result != nil)
        for number in 0..<20 { try first.call("event.record", #"{"name":"n\#(number)"}"#) }
        #expect(try crowd[99].reply().reason == "tooManyConnections")
        crowd = []
        // Until the daemon has seen that they are gone, it refuses another client, which gets no reply to its request.
        try waitUntil("there is room again") { (try? daemon.connect().ask("hello"))?.result != nil }
        try first.waitForArchive()
        #expect(try ArchiveFiles(home.state + "/archive").lines == first.lines())
    }

    @Test("a client that never reads is cut off at the limit with a last error, and costs no more")
    func neverReads() throws {
        let daemon = try home.start()
        let observer = try daemon.connect()
        let text = String(repeating: "x", count: 900_000)
        for _ in 0..<4 { try observer.call("event.record", #"{"name":"big","properties":{"t":"\#(text)"}}"#) }
        let before = try daemon.memory
        let client = try daemon.connect()
        for number in 0..<60 { try client.send(#"{"id":\#(number),"method":"event.list"}"# + "\n") }
        try waitUntil("it is cut off") {
            try observer.call("daemon.status")["clients"]?["slowReaders"] == 1
        }
        #expect(try daemon.memory - before < 64 << 20)
        // If it reads after all, it gets whole lines, the reason in the last one, and then the end.
        var last: [UInt8] = []
        while let line = try client.readLine() {
            if !last.isEmpty { #expect(last.count > 1_000_000, "a whole page") }
            last = line
        }
        let error = Reply(try SocketClient.parse(last))
        #expect(error.reason == "slowReader" && error.code == -32006 && error.id == .null, "\(error)")
        #expect(error.message?.contains("limits.queuedBytes") == true)
        #expect(try observer.call("daemon.status")["clients"]?["connections"] == 1)
    }

    @Test("a client that asks for more than it reads is held up, and costs no more")
    func manyQuestions() throws {
        let daemon = try home.start()
        let observer = try daemon.connect()
        try observer.call("event.record", #"{"name":"a"}"#)
        let before = try daemon.memory
        let client = try daemon.connect()
        let questions = 20_000
        let text = (0..<questions).map { #"{"id":\#($0),"method":"event.list","params":{"name":"none"}}"# + "\n" }
            .joined()
        Thread.detachNewThread { try? client.send(text) }
        var largest = 0
        for number in 0..<questions {
            _ = try client.reply()
            if number % 500 == 0 { largest = max(largest, try daemon.memory) }
        }
        #expect(largest - before < 8 << 20, "\((largest - before) >> 20) MiB")
        try observer.call("hello")
    }
}
