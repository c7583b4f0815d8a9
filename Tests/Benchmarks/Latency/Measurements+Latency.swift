import Glibc

extension Measurements {
    /// The waiting time of one client's records while others attack, a row for each attack.
    /// - Parameter names: Only attacks whose name contains one of these; empty for all.
    func latency(_ names: [String]) throws -> [LatencyRow] {
        let attacks = Attack.all(scale: scale).filter { attack in
            names.isEmpty || names.contains { attack.name.contains($0) }
        }
        return try attacks.map { attack in
            let row = try latency(attack)
            say(row.line)
            return row
        }
    }

    private func latency(_ attack: Attack) throws -> LatencyRow {
        let folder = folder + "/latency"
        mkdir(folder, 0o700)
        mkdir(folder + "/config", 0o700)
        for (name, text) in attack.configuration { try writeFile(folder + "/config/" + name, text) }
        let server = try Server.hark(programs, folder: folder)
        let row: LatencyRow
        do {
            try server.waitForFirstReply()
            let socket = server.peer.socket
            if !attack.before.isEmpty { try ask(socket, attack.before) }
            for (name, text) in attack.replacing { try writeFile(folder + "/config/" + name, text) }
            row = try latency(attack, socket)
        } catch {
            kill(server.child.id, SIGKILL)
            throw Failure("\(attack.name): \(error)\n\(try textOfFile(folder + "/log").suffix(2_000))")
        }
        // The end is not measured, and some attacks have left much work.
        kill(server.child.id, SIGKILL)
        waitpid(server.child.id, nil, 0)
        try removeFolder(folder)
        return row
    }

    private func latency(_ attack: Attack, _ socket: String) throws -> LatencyRow {
        let victim = try Connection(to: socket)
        let request = Array(#"{"id":1,"method":"event.record","params":{"name":"v","app":"victim"}}"#.utf8) + [10]
        var counter = ReplyCounter(newlinesPerReply: 1)
        var waits: [Double] = []
        let flood = Flood(
            socket, connections: attack.connections, text: attack.text, reads: attack.reads,
            halfClosesAfter: attack.halfClosesAfter)
        if !attack.text.isEmpty { try flood.start() }
        defer { if !attack.text.isEmpty { flood.end() } }
        let end = now() + UInt64(5_000_000_000 * scale)
        while now() < end || waits.isEmpty {
            waits.append(
                try measure {
                    try victim.send(request)
                    while try counter.receive(from: victim.descriptor) == 0 {}
                })
            usleep(1_000)
        }
        return LatencyRow(
            name: attack.name, records: waits.count, median: waits.median, ninetyNinth: waits.percentile(0.99),
            longest: waits.max() ?? 0)
    }
}

/// The waiting times of records under one attack, in nanoseconds.
struct LatencyRow {
    let name: String
    let records: Int
    let median: Double
    let ninetyNinth: Double
    let longest: Double

    static let goal = 50_000_000.0

    var line: String {
        "| \(name) | \(text(Double(records), decimals: 0)) | \(milliseconds(median)) | \(milliseconds(ninetyNinth)) | "
            + "\(milliseconds(longest)) | \(longest <= LatencyRow.goal ? "met" : "missed") |"
    }
}

/// The rows as a table in Markdown.
func table(_ rows: [LatencyRow]) -> String {
    let head = "| meanwhile | records | p50 | p99 | longest | |\n|---|---|---|---|---|---|\n"
    return head + rows.map { $0.line + "\n" }.joined()
}
