import Glibc

extension Measurements {
    /// What surveys cost an event that none of them listens to: the daemon beside itself with 10,000 of them.
    func unrelatedSurveys() throws -> Row {
        let total = Int(200_000 * scale)
        var with: [Double] = []
        var without: [Double] = []
        try withServer(Server.hark(programs, folder: folder + "/surveys", surveys: 10_000)) { surveyed in
            try withServer(Server.hark(programs, folder: folder + "/no-surveys")) { plain in
                for _ in 0..<rounds {
                    with.append(try pipelinedRecords(surveyed.peer, clients: 8, depth: 100, total: total))
                    try surveyed.child.waitUntilIdle()
                    without.append(try pipelinedRecords(plain.peer, clients: 8, depth: 100, total: total))
                    try plain.child.waitUntilIdle()
                }
            }
        }
        return Row(
            "records a second, 8 clients × 100, 10,000 surveys for others; none",
            hark: text(with.median, decimals: 0), peer: text(without.median, decimals: 0),
            ratio: with.median / without.median, goal: .ratioAtLeast(0.95))
    }
}

/// A file with so many surveys, each for an event of its own.
func surveyFile(_ count: Int) -> String {
    let surveys = (0..<count).map { number in
        #"{"id":"s\#(number)","title":"T","message":"M","options":["A","B"],"#
            + #""trigger":{"event":{"name":"other_\#(number)"}}}"#
    }
    return #"{"surveys":["# + surveys.joined(separator: ",\n") + "]}\n"
}
