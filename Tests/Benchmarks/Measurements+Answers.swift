import Glibc

extension Measurements {
    /// The time to compute the results of many answered showings and to print all of them, and the memory after that.
    func answers() throws -> [Row] {
        let total = Int(1_000_000 * scale) / AnswerLoad.apps * AnswerLoad.apps
        let place = folder + "/answers"
        mkdir(place, 0o700)
        mkdir(place + "/config", 0o700)
        try writeFile(place + "/config/surveys.json", AnswerLoad.survey)
        let settings = #"{"notify":null,"archive":false,"flags":null,"debug":{"bypassGating":true},"retention":"none"}"#
        return try withServer(try Server.configured(programs, settings, folder: place)) { server in
            let load = try AnswerLoad(Connection(to: server.peer.socket))
            for _ in 0..<total / AnswerLoad.apps { try load.round() }
            try server.child.waitUntilIdle()
            // The kernel starts a new peak here.
            try writeFile("/proc/\(server.child.id)/clear_refs", "5")
            let before = try server.child.memory().resident
            func run(_ words: [String]) throws -> Double {
                try (0..<rounds).map { _ in
                    try measure {
                        try Child([programs + "/hark"] + words, environment: ["HARK_SOCKET": server.peer.socket])
                            .waitForSuccess(words[0])
                    }
                }.median
            }
            let results = try run(["results", "study"])
            let printing = try run(["answers", "study", "--csv"])
            let told = try Connection(to: server.peer.socket).ask(
                #"{"id":1,"method":"survey.results","params":{"surveyId":"study"}}"# + "\n")
            guard told.contains(#""answered":\#(total),"#) else { throw Failure("not answered: \(told.prefix(300))") }
            let (rate, megabytes) = (Double(total) / (printing / 1e9), (try server.child.peak() - before) / 1_000_000)
            let showings = "\(text(Double(total), decimals: 0)) answered showings"
            return [
                Row(
                    "hark results of \(showings)", hark: milliseconds(results),
                    goal: .met("≤ 1,000 ms", results <= 1_000_000_000)),
                Row(
                    "hark answers --csv of them, rows a second", hark: text(rate, decimals: 0),
                    goal: .met("≥ 100,000", rate >= 100_000)),
                Row(
                    "what both take in the daemon's memory", hark: text(megabytes) + " MB",
                    goal: .met("≤ 8 MB", megabytes <= 8)),
            ]
        }
    }
}

/// People who answer a survey, one in each of many apps at the same time.
private final class AnswerLoad {
    static let apps = 500
    static let survey = #"""
        {"surveys":[{"id":"study","title":"T","message":"M","oncePerSession":false,"trigger":{"event":{"name":"go"}},
        "questions":[{"id":"score","type":"nps","question":"How likely is it?"},
        {"id":"why","type":"single","question":"Why?","options":["Price","Quality","Friends"]},
        {"id":"more","type":"text","question":"What else?","required":false}]}]}
        """#

    private let connection: Connection
    private var answered = 0
    private var buffer: [UInt8] = []

    init(_ connection: Connection) throws {
        self.connection = connection
        try send { #"{"id":\#($0),"method":"session.start","params":{"app":"a\#($0)","userId":"user-\#($0)"}}"# }
        _ = try lines()
    }

    /// One showing in each app, from its event to its answer.
    func round() throws {
        try send { #"{"id":\#($0),"method":"event.record","params":{"app":"a\#($0)","name":"go"}}"# }
        _ = try lines()
        try send { #"{"id":\#($0),"method":"survey.present","params":{"app":"a\#($0)","surface":"window"}}"# }
        let mark = #""presentationId":""#
        let ids = try lines().map { line -> Substring in
            guard let place = line.firstRange(of: mark) else { throw Failure("no survey: \(line)") }
            return line[place.upperBound...].prefix(36)
        }
        try send { app in
            answered += 1
            let choice = ["Price", "Quality", "Friends"][answered % 3]
            let more = answered % 5 == 0 ? #","more":"It is the \#(answered)th of them""# : ""
            return #"{"id":\#(app),"method":"survey.answer","params":{"presentationId":"\#(ids[app])","#
                + #""answers":{"score":\#(answered % 11),"why":"\#(choice)"\#(more)}}}"#
        }
        for line in try lines() where line.contains(#""error""#) { throw Failure("not answered: \(line)") }
    }

    private func send(_ request: (Int) -> String) throws {
        try connection.send(Array((0..<Self.apps).map { request($0) + "\n" }.joined().utf8))
    }

    /// The replies to one request in each app, in any order.
    private func lines() throws -> [String] {
        var found = [String](repeating: "", count: Self.apps)
        var left = Self.apps
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while left > 0 {
            let count = try check("read", read(connection.descriptor, &chunk, chunk.count))
            guard count > 0 else { throw Failure("the server closed the connection") }
            buffer += chunk[0..<count]
            var begin = 0
            while let end = buffer[begin...].firstIndex(of: 10) {
                let line = String(decoding: buffer[begin..<end], as: UTF8.self)
                let number = line.firstRange(of: #""id":"#).map { line[$0.upperBound...].prefix { $0.isNumber } }
                guard let app = number.flatMap({ Int($0) }), found.indices.contains(app) else {
                    throw Failure("no reply: \(line)")
                }
                found[app] = line
                left -= 1
                begin = end + 1
            }
            buffer.removeFirst(begin)
        }
        return found
    }
}
