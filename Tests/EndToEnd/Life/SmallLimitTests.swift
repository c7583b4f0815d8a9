import Foundation
import HarkWire
import Testing

/// Daemons with a small limit: each goes on with less, or says at once what it needs.
@Suite(.endToEnd) struct SmallLimitTests {
    private let home: DaemonHome
    private static let uid = 65_517

    init() throws { home = try DaemonHome() }

    /// Limits of a user hold for all processes of that user, and none for root.
    private func becomeUser(_ uid: Int, _ limits: [String] = []) throws {
        for folder in [home.files.path, home.configuration] {
            try check("chown") { chown(folder, uid_t(uid), gid_t(uid)) }
        }
        home.prefix =
            limits + ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--pdeathsig", "KILL"]
    }

    private static let surveys =
        #"{"surveys":[{"id":"s","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"x"}}}]}"#

    @Test(
        "with few threads or none all is done, a word says so once for each, and it ends in order",
        .enabled(if: geteuid() == 0), arguments: [1, 2, 3, 5])
    func threads(most: Int) throws {
        try home.configure(#"{"destinations":[{"kind":"http","name":"far","url":"http://localhost:9/"}]}"#)
        try home.files.write(Self.surveys, to: "config/surveys.json")
        // A user for each test, as the tests run at the same time.
        try becomeUser(Self.uid + most, ["prlimit", "--nproc=\(most):\(most)"])
        let daemon = try home.start()
        let client = try daemon.connect()
        for number in 0..<50 { try client.call("event.record", #"{"name":"n\#(number)"}"#) }
        try client.call("counter.register", #"{"name":"c"}"#)
        try client.call(
            "execution.add",
            #"{"id":"e","listensTo":["c"],"keepAlive":true,"when":{"c":{"op":"gte","value":0}},"run":{"exec":["/bin/true"]}}"#
        )
        try client.call("counter.trigger", #"{"name":"c"}"#)
        #expect(try client.call("daemon.status")["store"]?["events"]?.intValue == 50)
        #expect(try client.call("event.stats", #"{"name":"n*"}"#)["total"]?["count"]?.intValue == 50)
        #expect(try client.call("survey.list")["surveys"]?.arrayValue?.count == 1)
        try client.call("daemon.reload")
        try client.waitForArchive()
        #expect(try ArchiveFiles(home.state + "/archive").lines == client.lines())
        try client.call("event.clear", #"{"all":true}"#)
        try client.call("event.record", #"{"name":"after"}"#)
        let (ending, _) = try daemon.stop()
        #expect(ending == .exited(0))
        let errors = try daemon.errors.split(separator: "\n").filter { $0.contains("there is no thread for") }
        #expect(errors.allSatisfy { $0.contains("TasksMax=") } && !errors.isEmpty, "\(errors)")
        // One that ends and is had again may be missed again.
        #expect(errors.count <= 12, "\(errors.joined(separator: "\n"))")
        #expect(try home.start().connect().lines().count == 1)
    }

    @Test("with too little memory it says so, and does not come up to serve nobody", arguments: ["as", "data"])
    func memory(limit: String) throws {
        // The mapped program has to fit.
        let size = try FileManager.default.attributesOfItem(atPath: Programs.harkd)[.size] as? Int ?? 0
        guard limit == "data" || size < 60 << 20 else { return }
        home.prefix = ["prlimit", "--\(limit)=\(limit == "as" ? 90 << 20 : 12 << 20)"]
        let daemon = try home.launch()
        #expect(try daemon.child.wait() == .exited(71))
        let errors = try daemon.errors
        #expect(errors.contains("MiB of memory") && errors.contains("Limit\(limit.uppercased())="), "\(errors)")
        #expect(access(home.state, F_OK) != 0)
    }

    @Test(
        "where all watches for files are taken it says so, and looks at the files by itself",
        .enabled(if: geteuid() == 0))
    func watches() throws {
        let uid = Self.uid + 10
        try becomeUser(uid)
        let taker = try RunningTool(
            home,
            command: home.prefix + [
                "python3", "-c",
                """
                import ctypes, sys, time
                c = ctypes.CDLL(None)
                while c.inotify_init() >= 0: pass
                print("taken", flush=True)
                time.sleep(3600)
                """,
            ])
        try waitUntil("all are taken") { try taker.output.contains("taken") }
        let daemon = try home.start()
        let client = try daemon.connect()
        #expect(try client.call("survey.list")["surveys"] == [])
        #expect(try daemon.errors.contains("fs.inotify.max_user_instances"), "\((try? daemon.errors) ?? "")")
        try home.files.write(Self.surveys, to: "config/surveys.json")
        try waitUntil("the file is found") { try client.call("survey.list")["surveys"]?.arrayValue?.count == 1 }
        taker.child.kill()
        try waitUntil("it is watched again") { try daemon.errors.contains("surveys.json is watched again") }
        try home.files.write(#"{"surveys":[]}"#, to: "config/surveys.json")
        try waitUntil("the change is noticed") { try client.call("survey.list")["surveys"] == [] }
    }

    @Test("a memory map that is cut short under it ends it with a word, and nothing acknowledged is lost")
    func cutMap() throws {
        for round in 1...3 {
            let daemon = try home.start()
            let client = try daemon.connect()
            for number in 0..<20 { try client.call("event.record", #"{"name":"n\#(round)/\#(number)"}"#) }
            #expect(try client.lines().count == 20 * round)
            try check("truncate") { truncate(home.state + "/hark.db-shm", 0) }
            try waitUntil("it is met") {
                _ = try? client.call("event.list")
                return !daemon.child.isRunning
            }
            #expect(try daemon.child.wait() == .signaled(SIGBUS))
            let errors = try daemon.errors
            #expect(errors.contains("nothing that it has acknowledged is lost"), "\(errors)")
        }
        let names = try home.start().connect().lines().map { try EventLine($0).name }
        #expect(names == (1...3).flatMap { round in (0..<20).map { "n\(round)/\($0)" } })
    }
}
