import Glibc

extension Measurements {
    /// The change of rate, waiting time and memory with the number of events in the store, clients and destinations.
    /// Each varies by itself, from a million events, 16 clients and no destination other than the archive.
    func growth() throws -> [GrowthRow] {
        var rows: [GrowthRow] = []
        var events = 0
        try withServer(try Server.delivering(programs, "", folder: folder + "/growth")) { server in
            for size in [100_000, 1_000_000, 10_000_000].map({ Int(Double($0) * scale) }) {
                _ = try pipelinedRecords(server.peer, clients: 8, depth: 1000, total: max(8_000, size - events))
                try server.child.waitUntilIdle()
                events = try server.peer.count()
                for clients in size == Int(1_000_000 * scale) ? [1, 16, 256] : [16] {
                    rows.append(try grown(server, events: events, clients: clients, destinations: 0))
                }
            }
        }
        for count in [0, 1, 3] {
            let sinks = try (0..<count).map { try SinkProcess(folder + "/sink-\(count)-\($0)") }
            defer { for sink in sinks { sink.end() } }
            let destinations = sinks.enumerated().map { number, sink in
                #"{"name":"sink-\#(number)","kind":"http","url":"http://127.0.0.1:\#(sink.port)/","kinds":["event"]}"#
            }
            let place = folder + "/growth-\(count)"
            let server = try Server.delivering(programs, destinations.joined(separator: ","), folder: place)
            try withServer(server) { server in
                _ = try pipelinedRecords(server.peer, clients: 8, depth: 1000, total: Int(1_000_000 * scale))
                try server.child.waitUntilIdle()
                let events = try server.peer.count()
                rows.append(try grown(server, events: events, clients: 16, destinations: count))
            }
        }
        return rows
    }

    private func grown(_ server: Server, events: Int, clients: Int, destinations: Int) throws -> GrowthRow {
        var rates: [Double] = []
        var waits: [Double] = []
        for _ in 0..<rounds {
            rates.append(
                try pipelinedRecords(server.peer, clients: clients, depth: 100, total: Int(50_000 * scale)))
            try server.child.waitUntilIdle()
            let each = max(1, Int(5_000 * scale) / clients)
            waits += try server.peer.counting(clients * each) {
                var load = try PipelinedLoad(server.peer, clients: clients, depth: 1, rounds: each)
                try load.run()
                return load.waits
            }
            try server.child.waitUntilIdle()
        }
        return GrowthRow(
            events: events, clients: clients, destinations: destinations, rate: rates.median,
            ninetyNinth: waits.percentile(0.99), resident: try server.child.memory().resident)
    }
}

/// One line of the results of `growth`.
struct GrowthRow {
    let events: Int
    let clients: Int
    /// Destinations in addition to the archive.
    let destinations: Int
    let rate: Double
    let ninetyNinth: Double
    let resident: Double

    fileprivate var line: String {
        "| \(text(Double(events), decimals: 0)) | \(clients) | \(destinations) | \(text(rate, decimals: 0)) "
            + "| \(milliseconds(ninetyNinth)) | \(text(resident / 1_000_000, decimals: 1)) MB |\n"
    }
}

/// The rows as a table in Markdown.
func table(_ rows: [GrowthRow]) -> String {
    let head = "| events | clients | servers | records a second | p99 | memory (RSS) |\n|---|---|---|---|---|---|\n"
    return head + rows.map(\.line).joined()
}

/// A separate program that receives a daemon's deliveries while this one is busy with the load.
struct SinkProcess {
    let port: UInt16
    private let child: Child

    /// - Parameter path: The file in which the program writes its port.
    init(_ path: String) throws {
        let child = try Child([try absolutePath("/proc/self/exe"), SinkProcess.word, path])
        self.child = child
        var port: UInt16?
        while port == nil {
            guard child.isRunning else { throw Failure("the program that takes what is delivered has ended") }
            if access(path, F_OK) == 0 { port = UInt16(try textOfFile(path).prefix { $0 != "\n" }) }
            usleep(1_000)
        }
        self.port = port ?? 0
    }

    /// The argument with which this program becomes one.
    static let word = "sink"

    /// Runs the program until it is ended, or its parent is gone.
    static func run(_ path: String) throws {
        let (sink, parent) = (try HTTPSink(), getppid())
        try writeFile(path, "\(sink.port)\n")
        while getppid() == parent {
            do { _ = try sink.serve(until: .max, patience: 1_000) { _ in 1 } } catch is HTTPSink.Silence {}
        }
    }

    func end() {
        kill(child.id, SIGKILL)
        waitpid(child.id, nil, 0)
    }
}
