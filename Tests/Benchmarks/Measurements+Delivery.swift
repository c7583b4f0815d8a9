import Glibc

extension Measurements {
    /// The delivery of waiting records to a server, compared with curl(1) posting the same bodies over one connection.
    func delivery() throws -> [Row] {
        let entries = Int(5_000 * scale)
        let events = Int(100_000 * scale)
        let single = try delivered(
            to: #""kind":"sensorcore","host":"http://127.0.0.1:PORT","apiKeyFile":"key","maxPendingLogs":null"#,
            entries, of: LogLine.self, items: { _ in 1 })
        let batches = try delivered(
            to: #""kind":"http","url":"http://127.0.0.1:PORT/","kinds":["event"]"#,
            events, of: EventLine.self, items: newlines)
        func row(_ name: String, _ figures: (hark: Double, curl: Double)) -> Row {
            Row(
                name, hark: text(figures.hark, decimals: 0), peer: text(figures.curl, decimals: 0),
                ratio: figures.hark / figures.curl)
        }
        return [
            row("log entries a second to a server, one a request; curl", single),
            row("events a second to a server, 512 a request; curl", batches),
        ]
    }

    /// Records a second that reach a server from the first request on: by the daemon out of its store, and by curl out of files
    /// with the bodies that the daemon sent.
    private func delivered(
        to destination: String, _ count: Int, of line: any BenchLine.Type, items: (UnsafeRawBufferPointer) -> Int
    ) throws -> (hark: Double, curl: Double) {
        var hark: [Double] = []
        var curl: [Double] = []
        for round in 0..<rounds {
            let sink = try HTTPSink()
            let settings = destination.replacing("PORT", with: String(sink.port))
            let place = folder + "/delivery-\(line)-\(round)"
            try withServer(Server.delivering(programs, #"{\#(settings),"name":"sink"}"#, folder: place)) { server in
                // The rest of the warm-up is taken first.
                let (before, total) = (line.warmUp, count + line.warmUp)
                if before > 0 { _ = try sink.serve(until: before, items: items) }
                try ask(server.peer.socket, (0..<count).map(line.request))
                try server.child.waitUntilIdle()
                let nanoseconds = try sink.serve(until: total - before, keepsBodies: true, items: items)
                hark.append(Double(count) / nanoseconds * 1_000_000_000)
                try server.child.waitUntilIdle()
            }
            let bodies = sink.bodies
            var orders: [String] = []
            for (index, body) in bodies.enumerated() {
                let path = place + "/body-\(index)"
                try writeFile(path, String(decoding: body, as: UTF8.self))
                orders.append(
                    "url = \"http://127.0.0.1:\(sink.port)/\"\ndata-binary = \"@\(path)\"\nheader = \"Expect:\"\n")
            }
            try writeFile(place + "/orders", orders.joined(separator: "next\n"))
            let child = try Child(["/usr/bin/curl", "--silent", "--config", place + "/orders"])
            let nanoseconds = try sink.serve(until: count, items: items)
            curl.append(Double(count) / nanoseconds * 1_000_000_000)
            try child.waitForSuccess("curl")
        }
        return (hark.median, curl.median)
    }

    /// The cost of an unreachable destination for recording: the daemon with such a destination and without.
    func downDestination() throws -> Row {
        // A port that was bound and closed again, so that connections are refused.
        let port = try HTTPSink().port
        let destination = #"{"name":"down","kind":"http","url":"http://127.0.0.1:\#(port)/"}"#
        return try withServer(Server.delivering(programs, destination, folder: folder + "/down")) { down in
            try withServer(Server.hark(programs, folder: folder + "/not-down")) { plain in
                try cost(
                    "records a second, 8 clients × 100, a destination that is down; none", of: down, beside: plain,
                    total: Int(200_000 * scale), atLeast: 0.9)
            }
        }
    }
}

/// The kind of records to deliver.
private protocol BenchLine {
    static func request(_ number: Int) -> String
    /// The number of warm-up records that are delivered as well.
    static var warmUp: Int { get }
}

private enum LogLine: BenchLine {
    static let warmUp = 0
    static func request(_ number: Int) -> String {
        #"{"id":\#(number),"method":"log.write","params":{"message":"Payment \#(number) failed: card declined","#
            + #""level":"error","metadata":{"code":"card_declined","amount":99.5,"attempt":\#(number)}}}"#
    }
}

private enum EventLine: BenchLine {
    static let warmUp = 1000
    static func request(_ number: Int) -> String {
        String(decoding: HarkPeer(socket: "").request(number).dropLast(), as: UTF8.self)
    }
}
