import Glibc

extension Measurements {
    /// The rate at which a client that only reads gets events as lines of the archive, page by page; compared with all
    /// of them in one reply of Redis.
    func list() throws -> Row {
        let total = max(800, Int(100_000 * scale) / 800 * 800)
        func filled(_ server: Server, _ peer: any Peer) throws -> Int {
            _ = try pipelinedRecords(peer, clients: 8, depth: 100, total: total)
            try server.child.waitUntilIdle()
            return total + Server.warmUpRecords
        }
        return try withServer(try Server.hark(programs, folder: folder + "/hark-list")) { hark in
            try withServer(try Server.redis(folder: folder + "/redis-list")) { redis in
                let events = try filled(hark, HarkPeer(socket: hark.peer.socket, event: .small))
                let entries = try filled(redis, RedisPeer(socket: redis.peer.socket, event: .small))
                let (own, other) = (try ListReader(hark.peer.socket), try ListReader(redis.peer.socket))
                var rates: (hark: [Double], redis: [Double]) = ([], [])
                for _ in 0..<4 * rounds {
                    rates.hark.append(Double(events) / (try measure { try own.readEvents(events) }) * 1e9)
                    rates.redis.append(Double(entries) / (try measure { try other.readEntries(entries) }) * 1e9)
                }
                let (rate, peer) = (rates.hark.median, rates.redis.median)
                return Row(
                    "event.list of \(text(Double(events), decimals: 0)) as lines, events a second; XRANGE of Redis",
                    hark: text(rate, decimals: 0), peer: text(peer, decimals: 0), ratio: rate / peer,
                    goal: .met("≥ 1,000,000", rate >= 1_000_000))
            }
        }
    }

    /// Events a second through the tool, from its input to its output; jq only reads the same lines.
    func tool() throws -> [Row] {
        let total = Int(500_000 * scale)
        // All records in the store.
        let all = total + Server.warmUpRecords
        let lines = folder + "/lines"
        try writeFile(lines, String(repeating: Event.small.text + "\n", count: total))
        var rates: [Tool: [Double]] = [:]
        for round in 0..<rounds {
            let place = folder + "/tool-\(round)"
            func run(_ step: Tool, _ command: [String], _ server: Server, input: String = "/dev/null") throws {
                let time = try measure {
                    try Child(command, environment: ["HARK_SOCKET": server.peer.socket], input: input)
                        .waitForSuccess(command.joined(separator: " "))
                }
                rates[step, default: []].append(Double(step == .record ? total : all) / time * 1e9)
            }
            let hark = programs + "/hark"
            try withServer(try Server.hark(programs, folder: place)) { server in
                try server.peer.counting(total) { try run(.record, [hark, "record", "--stdin"], server, input: lines) }
                try server.child.waitUntilIdle()
                try run(.json, [hark, "events", "--json"], server)
                try run(.text, [hark, "events"], server)
                try run(.export, [hark, "export", place + "/export"], server)
                try run(.jq, ["/usr/bin/jq", "-c", ".", try onlyEvents(in: place + "/export")], server)
            }
            try withServer(try Server.hark(programs, folder: place + "/other")) { server in
                try server.peer.counting(all) { try run(.import, [hark, "import", place + "/export"], server) }
            }
            try removeFolder(place)
        }
        func rate(_ step: Tool) -> Double { rates[step]?.median ?? 0 }
        return Tool.allCases.compactMap { step in
            guard let (name, bound) = step.row else { return nil }
            let (own, jq) = (rate(step), rate(.jq))
            let title = "\(name), events a second"
            let goal = Row.Goal.met("≥ \(text(bound, decimals: 0))", own >= bound)
            guard step == .json else { return Row(title, hark: text(own, decimals: 0), goal: goal) }
            return Row(
                title + "; jq", hark: text(own, decimals: 0), peer: text(jq, decimals: 0), ratio: own / jq, goal: goal)
        }
    }

    private enum Tool: CaseIterable {
        case record, json, text, export, `import`, jq

        /// The name of the row, and its goal; nil for the peer.
        var row: (name: String, bound: Double)? {
            switch self {
            case .record: ("hark record --stdin", 250_000)
            case .json: ("hark events --json", 500_000)
            case .text: ("hark events, as text", 200_000)
            case .export: ("hark export", 300_000)
            case .import: ("hark import", 200_000)
            case .jq: nil
            }
        }
    }

    /// The events of an export that has one session.
    func onlyEvents(in export: String) throws -> String {
        var path = export + "/users"
        for folder in ["", "sessions/"] {
            guard let name = try namesInFolder(path + "/" + folder).first else { throw Failure("\(path) is empty") }
            path += "/" + folder + name
        }
        return path + "/events.jsonl"
    }
}

/// A client that reads long replies and only looks for their ends.
final class ListReader {
    private let connection: Connection
    private var buffer = [UInt8](repeating: 0, count: 256 * 1024)

    init(_ socket: String) throws { connection = try Connection(to: socket) }

    /// Reads all events of a daemon, one page after the other.
    func readEvents(_ expected: Int) throws {
        // Each event has three braces, as its properties and its source are objects; each reply has two of its own.
        var braces = 3 * expected
        var after = "0"
        while after != "null" {
            try connection.send(
                Array(
                    (#"{"id":1,"method":"event.list","params":{"as":"lines","limit":10000,"afterSeq":\#(after)}}"#
                        + "\n")
                        .utf8))
            braces += 2
            var end: [UInt8] = []
            repeat {
                let count = try receive()
                braces -= buffer.withUnsafeBytes {
                    occurrences(of: "{", in: UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
                end = Array((end + buffer[max(0, count - 64)..<count]).suffix(64))
            } while end.last != UInt8(ascii: "\n")
            guard let next = String(decoding: end, as: UTF8.self).split(separator: ":").last else {
                throw Failure("not a page: \(String(decoding: end, as: UTF8.self))")
            }
            after = String(next.prefix { $0.isNumber || $0.isLetter })
        }
        guard braces == 0 else { throw Failure("these are not the \(expected) events") }
    }

    /// Reads that number of entries of a Redis stream. Each has two fields.
    func readEntries(_ expected: Int) throws {
        try connection.send(Array("*4\r\n$6\r\nXRANGE\r\n$6\r\nevents\r\n$1\r\n-\r\n$1\r\n+\r\n".utf8))
        var left = 12 * expected + 1
        while left > 0 {
            let count = try receive()
            left -= buffer.withUnsafeBytes { newlines(in: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        guard left == 0 else { throw Failure("Redis sent more than \(expected) entries") }
    }

    private func receive() throws -> Int {
        let count = try buffer.withUnsafeMutableBytes { bytes in
            try check("read", Glibc.read(connection.descriptor, bytes.baseAddress!, bytes.count))
        }
        guard count > 0 else { throw Failure("the server closed the connection") }
        return count
    }
}
