import Glibc

extension Measurements {
    private struct Question {
        let name: String
        /// For `hark sql`, for lnav, and for sqlite-utils.
        let hark: String
        let lnav: String
        let utils: String

        /// - Parameters:
        ///   - text: The query, with `PLAN`, `AMOUNT`, `TIME` and `TABLE` as placeholders.
        init(_ name: String, _ text: String) {
            func with(_ plan: String, _ amount: String, _ time: String, _ table: String) -> String {
                [("PLAN", plan), ("AMOUNT", amount), ("TIME", time), ("TABLE", table)].reduce(text) {
                    $0.replacing($1.0, with: $1.1)
                }
            }
            let (plan, amount) = ("json_extract(properties, '$.plan')", "json_extract(properties, '$.amount')")
            self.name = name
            hark = with("plan", "amount", "timestamp", "events")
            lnav = ";" + with(plan, amount, "log_time", "hark_lines")
            utils = with(plan, amount, "timestamp", "events")
        }
    }

    /// The time of SQL queries of 1,000,000 events, from the query to the answer. Programs that keep lines in files
    /// read them first: lnav, and sqlite-utils, which have the same lines from an export.
    func sql() throws -> [Row] {
        let total = Int(1_000_000 * scale)
        let questions = [
            Question("how many by name", "SELECT name, count(*) FROM TABLE GROUP BY name"),
            Question("sums of a property by another", "SELECT PLAN AS p, sum(AMOUNT) FROM TABLE GROUP BY p"),
            Question("a condition on two properties", "SELECT count(*) FROM TABLE WHERE AMOUNT > 50 AND PLAN = 'pro'"),
            Question(
                "how many an hour, of one name",
                "SELECT substr(TIME, 1, 13) AS hour, count(*) FROM TABLE WHERE name = 'tap' GROUP BY hour"),
            Question("the newest ten", "SELECT * FROM TABLE ORDER BY seq DESC LIMIT 10"),
        ]
        let place = folder + "/sql"
        let lines = try sqlLines(total)
        var times: [(hark: [Double], peer: Double)] = questions.map { _ in ([], .infinity) }
        try withServer(try Server.hark(programs, folder: place)) { server in
            let environment = ["HARK_SOCKET": server.peer.socket, "HOME": try lnavHome(), "TERM": "dumb"]
            func run(_ command: [String], input: String = "/dev/null") throws -> Double {
                let log = place + "/said"
                unlink(log)
                let time = try measure {
                    try Child(command, environment: environment, input: input, log: log)
                        .waitForSuccess(command.joined(separator: " "))
                }
                // lnav ends with 0 even if it did not understand the query.
                if let said = try? textOfFile(log), said.contains("error: ") { throw Failure("\(command): \(said)") }
                return time
            }
            let hark = programs + "/hark"
            try server.peer.counting(total) { _ = try run([hark, "record", "--stdin"], input: lines) }
            try server.child.waitUntilIdle()
            _ = try run([hark, "export", place + "/export"])
            let events = try onlyEvents(in: place + "/export")
            for round in 0..<rounds {
                for (index, question) in questions.enumerated() {
                    times[index].hark.append(try run([hark, "sql", question.hark]))
                    // These take many seconds each, and vary little.
                    guard round == 0 else { continue }
                    let peers = [
                        try run(["/usr/bin/sqlite-utils", "memory", events + ":nl", question.utils]),
                        try run(["/usr/bin/lnav", "-n", "-c", question.lnav, events]),
                    ]
                    times[index].peer = peers.min() ?? .infinity
                }
            }
        }
        return zip(questions, times).map { question, times in
            let own = times.hark.median
            return Row(
                "hark sql, \(text(Double(total), decimals: 0)) events, \(question.name); lnav or sqlite-utils",
                hark: milliseconds(own), peer: milliseconds(times.peer), ratio: own / times.peer,
                goal: .ratioAtMost(0.2))
        }
    }

    private func sqlLines(_ total: Int) throws -> String {
        let names = ["checkout", "tap", "open", "close", "page", "login"]
        let path = folder + "/sql-lines"
        try writeFile(
            path,
            (0..<total).map { number in
                let plan = number % 3 == 0 ? "pro" : "free"
                return #"{"name":"\#(names[number % 6])","properties":{"amount":\#(number % 100),"plan":"\#(plan)"}}"#
                    + "\n"
            }.joined())
        return path
    }

    /// A home folder with the format of an export's lines for lnav.
    private func lnavHome() throws -> String {
        var path = folder + "/lnav"
        for part in ["", "/.lnav", "/formats", "/hark"] {
            path += part
            mkdir(path, 0o700)
        }
        try writeFile(
            path + "/hark.json",
            """
            {"hark_lines":{"title":"Hark","json":true,"file-type":"json","hide-extra":true,
            "timestamp-field":"timestamp",
            "line-format":[{"field":"name"}],"value":{"name":{"kind":"string"},"seq":{"kind":"integer"},
            "id":{"kind":"string"},"sessionId":{"kind":"string"},"properties":{"kind":"json"},"source":{"kind":"json"}}}}
            """)
        return folder + "/lnav"
    }
}
