import Glibc

extension Measurements {
    /// The cost of a study of a thousand participants with ten prompts a day: planning a year of it, and waiting for
    /// the next day, compared with a daemon without a study.
    func studies() throws -> [Row] {
        let people = max(1, Int(1_000 * scale))
        return try withServer(try Server.studying(programs, folder: folder + "/study")) { study in
            try withServer(try Server.hark(programs, folder: folder + "/no-study")) { none in
                let connection = try Connection(to: study.peer.socket)
                for person in 0..<people { _ = try answer(connection, "study.join", person) }
                try study.child.waitUntilIdle()
                sleep(33)
                let before = (try study.child.wakeUps(), try none.child.wakeUps())
                sleep(UInt32(max(1, 60 * scale)))
                let (wakeUps, others) = (
                    try study.child.wakeUps(since: before.0) / scale, try none.child.wakeUps(since: before.1) / scale
                )
                let (own, other) = (try study.child.memory().resident, try none.child.memory().resident)
                let started = try study.child.processorTime()
                var prompts = 0
                for person in 0..<people {
                    prompts += try answer(connection, "study.plan", person, #","days":365"#)
                        .split(separator: "\"prompts\":").dropFirst().reduce(0) { sum, part in
                            sum + (part.prefix { $0 != "]" }.count { $0 == "," } + 1)
                        }
                }
                let seconds = (try study.child.processorTime() - started) / 1e9
                return [
                    Row(
                        "memory (RSS) with \(people) participants of a study that wait for tomorrow; without a study",
                        hark: megabytes(own), peer: megabytes(other), ratio: own / other,
                        goal: .met("+ ≤ 4 MB", own - other <= 4_000_000)),
                    Row(
                        "… wake-ups a minute", hark: text(wakeUps, decimals: 0), peer: text(others, decimals: 0),
                        ratio: wakeUps / max(1, others), goal: .met("0", wakeUps == 0)),
                    Row(
                        "processor time for a year of their plans, \(prompts) prompts, as replies",
                        hark: text(seconds, decimals: 2) + " s", goal: .met("≤ 10 s", seconds <= 10)),
                ]
            }
        }
    }

    private func answer(
        _ connection: Connection, _ method: String, _ person: Int, _ more: String = ""
    ) throws -> String {
        let reply = try connection.ask(
            #"{"id":1,"method":"\#(method)","params":{"surveyId":"mood","userId":"p\#(person)"\#(more)}}"# + "\n")
        guard reply.contains(#""result":"#) else { throw Failure("\(method): \(reply)") }
        return reply
    }
}
