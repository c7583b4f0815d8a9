import Glibc

/// A server this benchmark started, with a folder and a socket of its own.
final class Server {
    let peer: any Peer
    let folder: String
    let startedAt: UInt64
    let child: Child

    private init(_ peer: any Peer, folder: String, command: [String], environment: [String: String] = [:]) throws {
        self.peer = peer
        self.folder = folder
        startedAt = now()
        child = try Child(command, environment: environment, log: folder + "/log")
    }

    /// harkd with its default settings and the store in `folder`, which may hold one already.
    static func hark(_ programs: String, folder: String, surveyFile: String? = nil) throws -> Server {
        mkdir(folder, 0o700)
        if let surveyFile {
            mkdir(folder + "/config", 0o700)
            try writeFile(folder + "/config/surveys.json", surveyFile)
        }
        return try hark(programs, HarkPeer(socket: folder + "/s"), folder: folder)
    }

    /// harkd with one counter, which the load triggers.
    static func counting(_ programs: String, folder: String) throws -> Server {
        try configure(folder, CounterPeer.settings)
        return try hark(programs, CounterPeer(socket: folder + "/s"), folder: folder)
    }

    /// harkd for the machine, with a survey that each visit schedules for its user.
    static func visited(_ programs: String, folder: String) throws -> Server {
        try configure(folder, #"{"flags":null}"#)
        try writeFile(folder + "/config/surveys.json", VisitPeer.surveys)
        return try hark(programs, VisitPeer(socket: folder + "/s"), folder: folder, options: ["--system"])
    }

    /// harkd with a survey that asks each participant ten times a day, from tomorrow on.
    static func studying(_ programs: String, folder: String) throws -> Server {
        try configure(folder, #"{"flags":null,"notify":null}"#)
        let schedule = #"{"prompts":10,"from":"09:00","until":"21:00","gapSeconds":1800,"firstDay":"next","seed":"s"}"#
        try writeFile(
            folder + "/config/surveys.json",
            #"{"surveys":[{"id":"mood","title":"t","message":"m","options":["Good","Bad"],"trigger":{"schedule":\#(schedule)}}]}"#
        )
        return try hark(programs, HarkPeer(socket: folder + "/s"), folder: folder)
    }

    /// harkd for a load that is shared among that number of sessions.
    static func sharing(_ programs: String, among sessions: Int, folder: String) throws -> Server {
        try configure(folder, #"{"flags":null}"#)
        return try hark(programs, SharingPeer(socket: folder + "/s", sessions: sessions), folder: folder)
    }

    /// harkd with these destinations in addition to the archive. A key, if one is needed, is in the file `key`.
    static func delivering(_ programs: String, _ destinations: String, folder: String) throws -> Server {
        try configure(folder, #"{"destinations":[\#(destinations)],"flags":null,"limits":{"connectionsPerUser":300}}"#)
        try writeFile(folder + "/config/key", "key-of-the-benchmark\n")
        return try hark(programs, HarkPeer(socket: folder + "/s"), folder: folder)
    }

    /// harkd with these settings.
    static func configured(_ programs: String, _ settings: String, folder: String) throws -> Server {
        try configure(folder, settings)
        return try hark(programs, HarkPeer(socket: folder + "/s"), folder: folder)
    }

    private static func configure(_ folder: String, _ settings: String) throws {
        mkdir(folder, 0o700)
        mkdir(folder + "/config", 0o700)
        try writeFile(folder + "/config/harkd.json", settings)
    }

    private static func hark(
        _ programs: String, _ peer: any Peer, folder: String, options: [String] = []
    ) throws -> Server {
        let options = options + ["--socket", peer.socket, "--state", folder + "/state", "--config", folder + "/config"]
        return try Server(peer, folder: folder, command: [programs + "/harkd"] + options)
    }

    /// Debian's Redis, which syncs its log before every reply. Everything that could interrupt it is off: it writes no
    /// snapshots and does not rewrite its log.
    static func redis(folder: String) throws -> Server {
        mkdir(folder, 0o700)
        let peer = RedisPeer(socket: folder + "/s")
        let settings = [
            "port": "0", "unixsocket": peer.socket, "dir": folder, "save": "", "appendonly": "yes",
            "appendfsync": "always", "auto-aof-rewrite-percentage": "0",
        ]
        let options = settings.flatMap { ["--" + $0.key, $0.value] }
        return try Server(peer, folder: folder, command: ["/usr/bin/redis-server"] + options)
    }

    /// Waits for the first reply, and returns the nanoseconds since the program was started.
    @discardableResult
    func waitForFirstReply(seconds: UInt64 = 60) throws -> Double {
        while true {
            do {
                _ = try peer.count()
                return Double(now() - startedAt)
            } catch {
                guard child.isRunning, now() - startedAt < seconds * 1_000_000_000 else {
                    throw Failure("\(folder): no reply: \(error)\n" + (try textOfFile(folder + "/log")))
                }
            }
            usleep(200)
        }
    }

    static let warmUpRecords = 1000

    /// Brings it into its usual state: files made, logs of full length, background work done.
    func warmUp() throws {
        try waitForFirstReply()
        _ = try blockingRecords(peer, count: Server.warmUpRecords)
        try child.waitUntilIdle()
    }

    func end() throws { try child.end() }
}
