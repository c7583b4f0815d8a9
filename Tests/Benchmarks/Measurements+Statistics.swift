import Glibc

extension Measurements {
    /// The time to count many events by name, the memory after that, and the cost for recording while they are counted
    /// once a second.
    func statistics() throws -> [Row] {
        let total = Int(1_000_000 * scale)
        let hark = programs + "/hark"
        return try withServer(try Server.hark(programs, folder: folder + "/statistics")) { server in
            _ = try pipelinedRecords(server.peer, clients: 8, depth: 1000, total: total)
            try server.child.waitUntilIdle()
            let before = try server.child.memory().proportional
            let connection = try Connection(to: server.peer.socket)
            let request = #"{"id":1,"method":"event.stats","params":{"by":["@name"]}}"# + "\n"
            var most = before
            let time = try (0..<4 * rounds).map { _ in
                var reply = ""
                let time = try measure { reply = try connection.ask(request) }
                guard reply.contains(#""by":["page_viewed"]"#) else {
                    throw Failure("not counted: \(reply.prefix(200))")
                }
                most = max(most, try server.child.memory().proportional)
                return time
            }.median
            // A second or so each, as otherwise the counting would never stop.
            let part = Int(600_000 * scale)
            var (with, without): ([Double], [Double]) = ([], [])
            for _ in 0..<rounds {
                without.append(try pipelinedRecords(server.peer, clients: 8, depth: 100, total: part))
                try server.child.waitUntilIdle()
                let asker = try Child(
                    ["/bin/sh", "-c", "while \(hark) stats --json; do sleep 1; done"],
                    environment: ["HARK_SOCKET": server.peer.socket])
                with.append(try pipelinedRecords(server.peer, clients: 8, depth: 100, total: part))
                try asker.end()
                try server.child.waitUntilIdle()
            }
            let (own, alone) = (with.median, without.median)
            let megabytes = (most - before) / 1_000_000
            return [
                Row(
                    "counting \(text(Double(total), decimals: 0)) events by name", hark: milliseconds(time),
                    goal: .met("≤ 500 ms", time <= 500_000_000)),
                Row(
                    "what counting leaves in memory", hark: text(megabytes) + " MB",
                    goal: .met("≤ 8 MB", megabytes <= 8)),
                Row(
                    "records a second, 8 clients × 100, counted once a second; not counted",
                    hark: text(own, decimals: 0),
                    peer: text(alone, decimals: 0), ratio: zip(with, without).map { $0 / $1 }.median,
                    goal: .ratioAtLeast(0.95)),
            ]
        }
    }
}
