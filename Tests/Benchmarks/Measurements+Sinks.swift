import Glibc

extension Measurements {
    /// The rate at which the daemon fills a database, compared with psql's \copy of the same rows into the same table;
    /// and the cost for recording meanwhile, compared with a daemon without a database.
    func sinks() throws -> [Row] {
        let count = Int(300_000 * scale)
        let database = try Database(folder: folder + "/postgres")
        do {
            let rows = [try handedOver(count, to: database), try recordingMeanwhile(count, database)]
            try database.end()
            return rows
        } catch {
            try database.end()
            throw error
        }
    }

    private func handedOver(_ count: Int, to database: Database) throws -> Row {
        var hark: [Double] = []
        var copy: [Double] = []
        for round in 0..<rounds {
            let place = folder + "/sink-\(round)"
            try withServer(Server.delivering(programs, "", folder: place)) { server in
                try ask(server.peer.socket, (0..<count).map { request($0) })
                try server.child.waitUntilIdle()
                try database.run("DROP SCHEMA IF EXISTS hark CASCADE")
                let settings =
                    #"{"destinations":[{"name":"pg","kind":"postgresql","url":"\#(database.url)"}],"flags":null}"#
                try writeFile(place + "/config/harkd.json", settings)
                let all = count + Server.warmUpRecords
                let start = now()
                try ask(server.peer.socket, [#"{"id":1,"method":"config.reload","params":{}}"#])
                try waitUntilThrough(server)
                hark.append(Double(all) / Double(now() - start) * 1_000_000_000)
                let rows = place + "/rows"
                try database.run("\\copy hark.record TO '\(rows)'")
                try database.run("TRUNCATE hark.record")
                copy.append(
                    Double(all) / (try measure { try database.run("\\copy hark.record FROM '\(rows)'") })
                        * 1_000_000_000)
            }
        }
        return Row(
            "events a second into PostgreSQL; psql \\copy", hark: text(hark.median, decimals: 0),
            peer: text(copy.median, decimals: 0), ratio: zip(hark, copy).map { $0 / $1 }.median,
            goal: .ratioAtLeast(0.5))
    }

    private func recordingMeanwhile(_ count: Int, _ database: Database) throws -> Row {
        try database.run("DROP SCHEMA IF EXISTS hark CASCADE")
        let destination = #"{"name":"pg","kind":"postgresql","url":"\#(database.url)"}"#
        return try withServer(Server.delivering(programs, destination, folder: folder + "/sink-with")) { with in
            try withServer(Server.hark(programs, folder: folder + "/sink-without")) { without in
                try cost(
                    "records a second, 8 clients × 100, into PostgreSQL as well; none", of: with, beside: without,
                    total: count, atLeast: 0.95
                ) { try waitUntilThrough(with) }
            }
        }
    }

    private func waitUntilThrough(_ server: Server) throws {
        let connection = try Connection(to: server.peer.socket)
        let question = #"{"id":1,"method":"delivery.status","params":{"destination":"pg"}}"# + "\n"
        let end = now() + 600_000_000_000
        while true {
            let answer = try connection.ask(question)
            if answer.contains(#""pending":0,"delivered":"#), !answer.contains(#""delivered":0,"#) { return }
            guard now() < end else { throw Failure("the database did not get all: \(answer)") }
            usleep(5_000)
        }
    }

    private func request(_ number: Int) -> String {
        String(decoding: HarkPeer(socket: "").request(number).dropLast(), as: UTF8.self)
    }
}
