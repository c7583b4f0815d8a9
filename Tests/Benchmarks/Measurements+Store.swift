import Glibc

extension Measurements {
    /// The disk space of an event once all is at rest, in the store and in the archive, compared with Redis's log of
    /// the same events.
    func disk() throws -> [Row] {
        let total = Int(400_000 * scale)
        func bytes(_ server: Server, _ peer: any Peer, _ path: String) throws -> Double {
            let before = try bytesInFolder(path)
            _ = try pipelinedRecords(peer, clients: 8, depth: 100, total: total)
            try server.child.waitUntilIdle()
            return try (bytesInFolder(path) - before) / Double(total / 800 * 800)
        }
        let redis = try withServer(try Server.redis(folder: folder + "/redis-disk")) { server in
            try bytes(server, RedisPeer(socket: server.peer.socket, event: .small), server.folder + "/appendonlydir")
        }
        let place = folder + "/hark-disk"
        let archive = try withServer(try Server.hark(programs, folder: place)) { server in
            try bytes(server, HarkPeer(socket: server.peer.socket, event: .small), place + "/state/archive")
        }
        // In a closed store, the write-ahead log is copied into the file.
        let all = try bytesInFolder(place + "/state") - bytesInFolder(place + "/state/archive")
        let store = all / Double(total / 800 * 800 + Server.warmUpRecords)
        func row(_ name: String, _ hark: Double, atMost bound: Double) -> Row {
            Row(
                "bytes on disk of \(Event.small.text.utf8.count) B as JSON, \(name); Redis's log",
                hark: text(hark, decimals: 0) + " B", peer: text(redis, decimals: 0) + " B", ratio: hark / redis,
                goal: .met("≤ \(text(bound, decimals: 0)) B", hark <= bound))
        }
        return [row("the store", store, atMost: 90), row("the archive", archive, atMost: 220)]
    }

    /// The time to find one event by its name, and by its user, among many others; compared with grep(1), which
    /// searches the cached archive for the name.
    func rare() throws -> [Row] {
        let total = Int(10_000_000 * scale)
        let place = folder + "/rare"
        return try withServer(try Server.hark(programs, folder: place)) { server in
            func fill() throws {
                _ = try pipelinedRecords(server.peer, clients: 8, depth: 1000, total: total / 2)
            }
            try fill()
            try ask(
                server.peer.socket,
                [
                    #"{"id":1,"method":"session.start","params":{"userId":"somebody","app":"rare"}}"#,
                    #"{"id":2,"method":"event.record","params":{"name":"rare","app":"rare"}}"#,
                ])
            try fill()
            try server.child.waitUntilIdle()
            let connection = try Connection(to: server.peer.socket)
            func find(_ filter: String) throws -> Double {
                let request = #"{"id":1,"method":"event.list","params":{\#(filter)}}"# + "\n"
                return try (0..<4 * rounds).map { _ in
                    var reply = ""
                    let time = try measure { reply = try connection.ask(request) }
                    guard reply.contains(#""name":"rare""#), reply.contains(#""nextAfterSeq":null"#) else {
                        throw Failure("the one event was not found: \(reply.prefix(200))")
                    }
                    return time
                }.median
            }
            let grep = try (0..<rounds).map { _ in
                try measure {
                    let command = ["/usr/bin/grep", "-rF", #""name":"rare""#, place + "/state/archive"]
                    try Child(command).waitForSuccess("grep")
                }
            }.median
            return try [("name", #""name":"rare""#), ("user", #""userId":"somebody""#)].map { name, filter in
                let time = try find(filter)
                return Row(
                    "a rare \(name) among \(text(Double(total), decimals: 0)) events; grep in the archive",
                    hark: milliseconds(time), peer: milliseconds(grep), ratio: time / grep,
                    goal: .met("≤ 20 ms", time <= 20_000_000))
            }
        }
    }

    /// The cost of many sessions: events of 64 sessions in turns, compared with the same events in one.
    func interleaved() throws -> Row {
        func withSessions<Result>(_ count: Int, _ body: (Server) throws -> Result) throws -> Result {
            try withServer(try Server.sharing(programs, among: count, folder: folder + "/sessions-\(count)")) {
                server in
                try ask(
                    server.peer.socket,
                    (0..<count).map {
                        #"{"id":1,"method":"session.start","params":{"userId":"user-\#($0)","app":"\#(SharingPeer.app($0))"}}"#
                    })
                return try body(server)
            }
        }
        return try withSessions(64) { many in
            try withSessions(1) { one in
                try cost(
                    "records a second, 8 clients × 100, sessions of 64 users in turns; of one", of: many, beside: one,
                    total: Int(200_000 * scale), atLeast: 0.9)
            }
        }
    }
}

/// Events of many sessions, one after the other, each of an app of its own.
struct SharingPeer: Peer {
    let socket: String
    let sessions: Int
    let newlinesPerReply = 1
    let countRequest = #"{"id":1,"method":"daemon.status"}"# + "\n"
    let countMark = #""events":"#

    static func app(_ number: Int) -> String { "app-\(number + 10)" }

    func request(_ index: Int) -> [UInt8] {
        Array(
            (#"{"id":\#(index),"method":"event.record","params":{"app":"\#(SharingPeer.app(index % sessions))","#
                + #""name":"\#(Event.sample.name)","properties":\#(Event.sample.properties)}}"# + "\n").utf8)
    }
}
