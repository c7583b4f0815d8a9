import Glibc

extension Measurements {
    /// The cost of a user while there are few of them and while there are many. Each appears once, with a session and
    /// an event that schedules a survey.
    func manyUsers() throws -> [Row] {
        var few: Double?
        return try [1_000, 10_000, 100_000, 1_000_000].compactMap { number -> Row? in
            let users = max(100, Int(Double(number) * scale))
            guard users <= VisitPeer.usersPerUID || getuid() == 0 else {
                say("\(users) users are left out: only root can speak for as many users of the machine as they need")
                return nil
            }
            // Fewer users take less time, and so are measured more often.
            let visits = try (0..<(number < 100_000 ? rounds : 1)).map { try visit(users, round: $0) }
            let nanoseconds = visits.map(\.nanoseconds).median
            let first = few ?? nanoseconds
            few = first
            return Row(
                "\(text(Double(users), decimals: 0)) users, each with a session, an event and a survey; the first row's",
                hark: text(nanoseconds / 1_000, decimals: 1) + " µs, "
                    + text(visits.map(\.resident).median / 1_000_000, decimals: 1) + " MB",
                peer: text(first / 1_000, decimals: 1) + " µs", ratio: nanoseconds / first,
                goal: .met("≤ 40 µs", nanoseconds <= 40_000))
        }
    }

    /// - Returns: The nanoseconds for a user, and the daemon's resident bytes afterwards.
    private func visit(_ users: Int, round: Int) throws -> (nanoseconds: Double, resident: Double) {
        let server = try Server.visited(programs, folder: folder + "/users-\(users)-\(round)")
        // The socket is in private folders, which other users have to reach.
        for folder in [folder, server.folder] { try check("chmod", chmod(folder, 0o711)) }
        let result: (Double, Double)
        do {
            try server.waitForFirstReply()
            result = (try visits(of: users, to: server) / Double(users), try server.child.memory().resident)
        } catch {
            try server.end()
            throw error
        }
        try server.end()
        return result
    }

    private func visits(of users: Int, to server: Server) throws -> Double {
        try server.peer.counting(users) {
            var nanoseconds = 0.0
            for first in stride(from: 0, to: users, by: VisitPeer.usersPerUID) {
                let peer = VisitPeer(socket: server.peer.socket, first: first)
                let count = min(VisitPeer.usersPerUID, users - first)
                var load = try asUser(UInt32(10_001 + first / VisitPeer.usersPerUID)) {
                    try PipelinedLoad(peer, clients: 1, depth: count, rounds: 1)
                }
                nanoseconds += try measure { try load.run() }
            }
            return nanoseconds
        }
    }

    /// Runs `body` with connections as that user of the machine. This needs root; without it the user stays the same.
    private func asUser<Result>(_ uid: uid_t, _ body: () throws -> Result) throws -> Result {
        guard getuid() == 0 else { return try body() }
        try check("seteuid", seteuid(uid))
        let result: Result
        do {
            result = try body()
        } catch {
            seteuid(0)
            throw error
        }
        try check("seteuid", seteuid(0))
        return result
    }
}

/// Visits: in each, another user starts a session and records an event that triggers a survey.
struct VisitPeer: Peer {
    /// The number of users of an account whose surveys may wait at a time.
    static let usersPerUID = 10_000
    static let surveys = #"""
        {"surveys":[{"id":"visit","title":"T","message":"M","options":["A","B"],
        "trigger":{"event":{"name":"\#(Event.sample.name)","scheduleAfterSeconds":3600}}}]}
        """#

    let socket: String
    /// The number of the first user.
    var first = 0
    let newlinesPerReply = 2
    let countRequest = #"{"id":1,"method":"daemon.status"}"# + "\n"
    let countMark = #""events":"#

    func request(_ index: Int) -> [UInt8] {
        Array(
            (#"{"id":1,"method":"session.start","params":{"userId":"user-\#(first + index)"}}"# + "\n"
                + #"{"id":2,"method":"event.record","params":{"name":"\#(Event.sample.name)","properties":"#
                + Event.sample.properties + "}}\n").utf8)
    }
}
