import Foundation
import HarkWire
import Testing

/// `kill -9` in the middle of a study: a row for each prompt, once, and no answer is lost.
@Suite(.endToEnd) struct StudyKillTests {
    private static let people = (1...120).map { "p\($0)" }

    /// Three prompts for each participant within five minutes: more than one a second of all of them.
    private func surveys(now: Date) -> String {
        let minute = Int(now.timeIntervalSince1970) / 60 % 1_440
        func clock(_ minute: Int) -> String {
            let (hour, rest) = (minute % 1_440).quotientAndRemainder(dividingBy: 60)
            return [hour, rest].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        }
        return """
            {"surveys":[{"id":"mood","title":"t","message":"m","options":["Good","Bad"],"expireAfterSeconds":900,
            "whenAway":"wait","trigger":{"schedule":{"placing":"free","prompts":3,"gapSeconds":60,"seed":"s",
            "from":"\(clock(minute))","until":"\(clock(minute + 5))","timeZone":"Etc/UTC"}}}]}
            """
    }

    @Test("X1: kill -9 at any moment doubles no prompt of a study and leaves out none, and what was answered stays")
    func kills() throws {
        let home = try DaemonHome()
        try home.configure(#"{"notify":null,"retention":"none"}"#)
        try home.files.write(surveys(now: Date()), to: "config/surveys.json")
        var planned: [String: [String]] = [:]
        var answered: Set<String> = []
        var daemon = try home.start()
        let first = try daemon.connect()
        for person in Self.people {
            let user = #"{"surveyId":"mood","userId":"\#(person)"}"#
            try first.call("study.join", user)
            let days = try first.call("study.plan", user)["days"]?.arrayValue ?? []
            planned[person] = days.flatMap { $0["prompts"]?.arrayValue ?? [] }.compactMap(\.stringValue)
        }
        var seen = 0
        for _ in 0..<15 {
            let client = try daemon.connect()
            // Some come while it runs, and others while it does not.
            try waitUntil("some more have come") { try rows(client).count > seen }
            let found = try rows(client)
            seen = found.count
            if let open = found.last(where: { $0["state"] == "ready" }), let id = open["presentationId"]?.stringValue,
                let user = open["userId"]?.stringValue
            {
                try client.call("session.start", #"{"userId":"\#(user)"}"#)
                try client.call("survey.present", #"{"presentationId":"\#(id)"}"#)
                try client.call("survey.answer", #"{"presentationId":"\#(id)","option":"Good"}"#)
                answered.insert(id)
            }
            daemon.kill()
            daemon = try home.start()
        }
        let client = try daemon.connect()
        try waitUntil("as many have come as there were kills") { try rows(client).count >= seen + 8 }
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)).description
        try waitUntil("what was due by then is a row") { try rows(client).count >= due(planned, by: now) }
        let all = try rows(client)
        #expect(Set(all.compactMap { $0["presentationId"]?.stringValue }).count == all.count)
        #expect(!answered.isEmpty)
        for person in Self.people {
            let times = all.filter { $0["userId"]?.stringValue == person }.compactMap {
                $0["times"]?["plannedAt"]?.stringValue
            }
            #expect(times.sorted() == Array((planned[person] ?? []).prefix(times.count)), "\(person)")
            // The next is still to come.
            let rest = (planned[person] ?? []).dropFirst(times.count)
            #expect(rest.first.map { $0 > now } ?? true, "\(person): \(rest) at \(now)")
        }
        let kept = all.filter { $0["state"] == "answered" }.compactMap { $0["presentationId"]?.stringValue }
        #expect(Set(kept) == answered)
    }

    private func due(_ planned: [String: [String]], by now: String) -> Int {
        planned.values.reduce(0) { sum, times in sum + times.count { $0 <= now } }
    }

    private func rows(_ client: SocketClient) throws -> [JSONValue] {
        try client.call("survey.history", #"{"surveyId":"mood","limit":1000}"#)["presentations"]?.arrayValue ?? []
    }
}
