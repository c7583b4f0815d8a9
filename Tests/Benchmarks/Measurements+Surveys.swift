import Glibc

extension Measurements {
    /// What surveys cost an event that none of them listens to: the daemon beside itself with 10,000 of them.
    func unrelatedSurveys() throws -> Row {
        try withServer(Server.hark(programs, folder: folder + "/surveys", surveys: 10_000)) { surveyed in
            try withServer(Server.hark(programs, folder: folder + "/no-surveys")) { plain in
                try cost(
                    "records a second, 8 clients × 100, 10,000 surveys for others; none", of: surveyed, beside: plain,
                    total: Int(200_000 * scale), atLeast: 0.95)
            }
        }
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
