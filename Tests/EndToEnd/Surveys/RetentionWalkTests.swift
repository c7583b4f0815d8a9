import HarkTesting
import HarkWire
import Testing

/// What is kept over weeks of visits, answers, clears, kills and policies, against a plain model (row R1).
@Suite(.endToEnd) struct RetentionWalkTests {
    @Test("R1: sessions and answers are those that a simple model keeps, each by its own rule", arguments: 1...3)
    func walk(_ seed: UInt64) throws {
        let scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("a", more: #","oncePerSession":false"#),
                SurveyScene.plain("b", more: #","oncePerSession":false"#, event: #"{"name":"come"}"#)),
            configuration:
                #"{"notify":null,"debug":{"bypassGating":true},"retention":"none","sessions":{"idleSeconds":null}}"#)
        let clock = try JumpedClock(in: scene.home.files)
        scene.home.variables = clock.variables
        var walk = try RetentionWalk(random: SplitMix64(state: seed), daemon: try scene.home.start())
        for _ in 0..<60 {
            if walk.random.once(in: 3) {
                walk.model.today += 1 + walk.random.below(2)
                try clock.set(days: walk.model.today)
            }
            switch walk.random.below(12) {
            case 0: try walk.kill(scene.home)
            case 1: try walk.clearUser()
            case 2: try walk.clearSession()
            case 3, 4: try walk.retire()
            default: try walk.visit()
            }
            try walk.compare()
        }
        let table = try scene.home.hark("sql", "--csv", "SELECT count(*) AS shown FROM presentations").output
        #expect(table == "shown\r\n\(walk.model.showings.count)\r\n")
    }
}

/// What should be there.
private struct RetentionModel {
    struct Session {
        let id: String
        let user: String?
        let order: Int
        var ended: Int?
    }

    struct Showing {
        let user: String?
        let session: String
        let closed: Int
    }

    var today = 0
    var sessions: [Session] = []
    var showings: [String: Showing] = [:]
    /// How many rules have removed.
    var removed = 0

    mutating func begin(_ id: String, _ user: String?) {
        for place in sessions.indices where sessions[place].ended == nil { sessions[place].ended = today }
        sessions.append(Session(id: id, user: user, order: (sessions.last?.order ?? 0) + 1))
    }

    /// - Parameters:
    ///   - age: whole days and a half, as all of a day happens at its beginning.
    /// - Returns: how many sessions and showings go.
    mutating func retire(age: Int?, most: Int?, answers: Int?) -> (Int, Int) {
        func isOld(_ day: Int?, _ age: Int?) -> Bool {
            guard let day, let age else { return false }
            return day < today - age
        }
        let before = (sessions.count, showings.count)
        var gone: Set<String> = []
        for user in Set(sessions.map(\.user)) {
            let newest = sessions.filter { $0.user == user }.sorted { $0.order > $1.order }
            for session in newest where isOld(session.ended, age) { gone.insert(session.id) }
            guard let most else { continue }
            for session in newest.dropFirst(most) where session.ended != nil { gone.insert(session.id) }
        }
        sessions.removeAll { gone.contains($0.id) }
        showings = showings.filter { !isOld($0.value.closed, answers) }
        removed += before.0 - sessions.count
        return (before.0 - sessions.count, before.1 - showings.count)
    }
}

private struct RetentionWalk {
    var random: SplitMix64
    var model = RetentionModel()
    private var daemon: DaemonProcess
    private var client: SocketClient

    init(random: SplitMix64, daemon: DaemonProcess) throws {
        (self.random, self.daemon) = (random, daemon)
        client = try daemon.connect()
    }

    mutating func kill(_ home: DaemonHome) throws {
        daemon.kill()
        daemon = try home.start()
        client = try daemon.connect()
    }

    mutating func visit() throws {
        let user = random.pick(["ada", "bob", nil])
        let session = try client.startSession(user)
        model.begin(session, user)
        try client.record("visit")
        guard !random.once(in: 4) else { return }
        let survey = random.pick(["a", "b"])
        try client.record(survey == "a" ? "go" : "come")
        let shown = try client.presentNext()
        if random.once(in: 4) {
            try client.call("survey.dismiss", try shown.params())
        } else {
            try client.call("survey.answer", try shown.params(#","option":"Good""#))
        }
        model.showings[shown["presentationId"]?.stringValue ?? ""] = .init(
            user: user, session: session, closed: model.today)
    }

    mutating func clearUser() throws {
        let user = random.pick(["ada", "bob"])
        try client.call("event.clear", #"{"userId":"\#(user)"}"#)
        model.sessions.removeAll { $0.user == user }
        model.showings = model.showings.filter { $0.value.user != user }
    }

    mutating func clearSession() throws {
        guard !model.sessions.isEmpty else { return }
        let session = model.sessions[random.below(model.sessions.count)].id
        try client.call("event.clear", #"{"sessionId":"\#(session)"}"#)
        model.sessions.removeAll { $0.id == session }
        model.showings = model.showings.filter { $0.value.session != session }
    }

    mutating func retire() throws {
        let (age, most) = (random.pick([nil, 2, 6, 12]), random.pick([nil, 1, 3]))
        let answers = random.pick([nil, 4, 15])
        let days = { (count: Int?) in count.map { "\(Double($0) + 0.5)" } ?? "null" }
        let policy =
            #""policy":{"maxAgeDays":\#(days(age)),"maxSessionsPerUser":\#(most.map(String.init) ?? "null"),"#
            + #""answers":{"maxAgeDays":\#(days(answers))}},"trustClock":true"#
        let expected = model.retire(age: age, most: most, answers: answers)
        for more in [#","dryRun":true"#, ""] {
            let told = try client.call("retention.apply", "{\(policy)\(more)}")
            #expect(told["sessions"]?.intValue == Int64(expected.0), "\(policy) \(told)")
            #expect(told["showings"]?.intValue == Int64(expected.1), "\(policy) \(told)")
        }
    }

    func compare() throws {
        let sessions = try client.call("session.list", #"{"limit":1000}"#)["sessions"]?.arrayValue ?? []
        #expect(Set(sessions.map { $0["id"]?.stringValue }) == Set(model.sessions.map(\.id)))
        let showings = try client.call("survey.history", #"{"limit":1000}"#)["presentations"]?.arrayValue ?? []
        #expect(Set(showings.map { $0["presentationId"]?.stringValue }) == Set(model.showings.keys))
        let rules = try client.call("daemon.status")["removedByRule"]?.arrayValue ?? []
        #expect(rules.reduce(0) { $0 + ($1["sessions"]?.intValue ?? 0) } == Int64(model.removed))
    }
}
