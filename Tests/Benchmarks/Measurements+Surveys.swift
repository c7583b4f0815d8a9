import Glibc

extension Measurements {
    /// The cost of surveys for an event that none of them listens to: the daemon with and without 10,000 of them.
    func unrelatedSurveys() throws -> Row {
        try withServer(Server.hark(programs, folder: folder + "/surveys", surveyFile: surveyFile(10_000))) { surveyed in
            try withServer(Server.hark(programs, folder: folder + "/no-surveys")) { plain in
                try cost(
                    "records a second, 8 clients × 100, 10,000 surveys for others; none", of: surveyed, beside: plain,
                    total: Int(200_000 * scale), atLeast: 0.95)
            }
        }
    }
}

extension Measurements {
    /// The cost of audiences for an event that none of their rules names: the daemon with and without 1,000 rules.
    func audiences() throws -> Row {
        let ruled = try Server.hark(programs, folder: folder + "/audiences", surveyFile: audienceFile(1_000))
        return try withServer(ruled) { ruled in
            try withServer(Server.hark(programs, folder: folder + "/no-audiences")) { plain in
                try cost(
                    "records a second, 8 clients × 100, 1,000 audience rules; none", of: ruled, beside: plain,
                    total: Int(200_000 * scale), atLeast: 0.95)
            }
        }
    }
}

/// A file of surveys with that number of rules about the history of users, each for an event of its own.
private func audienceFile(_ rules: Int) -> String {
    let surveys = (0..<rules / 4).map { number in
        let events = (0..<4).map { #"{"name":"rule_\#(4 * number + $0)","withinSeconds":86400,"atLeast":3}"# }
        return #"{"id":"s\#(number)","title":"T","message":"M","options":["A","B"],"#
            + #""audience":{"events":[\#(events.joined(separator: ","))]},"#
            + #""trigger":{"event":{"name":"other_\#(number)"}}}"#
    }
    return #"{"surveys":["# + surveys.joined(separator: ",\n") + "]}\n"
}

/// A file with that number of surveys, each for an event of its own.
func surveyFile(_ count: Int) -> String {
    let surveys = (0..<count).map { number in
        #"{"id":"s\#(number)","title":"T","message":"M","options":["A","B"],"#
            + #""trigger":{"event":{"name":"other_\#(number)"}}}"#
    }
    return #"{"surveys":["# + surveys.joined(separator: ",\n") + "]}\n"
}
