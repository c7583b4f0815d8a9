import Foundation
import HarkWire
import Testing

/// A store with a damaged page, from the first list to `hark repair`.
@Suite(.endToEnd) struct RepairCommandTests {
    private let home: DaemonHome

    init() throws {
        home = try DaemonHome()
    }

    /// Records large events, a few on a page of the file, and waits until the archive has them.
    private func fill(_ daemon: DaemonProcess) throws -> [Substring] {
        try home.hark("session", "start", "--user", "cleo")
        let client = try daemon.connect()
        for number in 0..<200 {
            let filler = String(repeating: "ä", count: 200)
            try client.call("event.record", #"{"name":"step","properties":{"n":\#(number),"t":"\#(filler)"}}"#)
        }
        try client.waitForArchive()
        return try home.hark("events", "--json", "--name", "step", "--limit", "1000").lines
    }

    /// Overwrites a page of blocks in the midst of the file.
    private func damage() throws {
        let file = StoreFile(of: home)
        let pages = try file.query("SELECT pageno FROM dbstat WHERE name = 'block' AND pagetype = 'leaf' ORDER BY path")
        try #require(pages.count > 5)
        try file.damage(at: Int(pages[3] - 1) * StoreFile.pageSize, count: StoreFile.pageSize)
    }

    private func tryRepair() throws {
        var daemon = try home.start()
        defer { daemon.kill() }
        let before = try fill(daemon)
        try #require(before.count == 200)
        #expect(try home.hark("doctor", "--json").ending == .exited(0))
        _ = try daemon.stop()
        try damage()
        daemon = try home.start()

        let damaged = try home.hark("events", "--json", "--name", "step", "--limit", "1000")
        #expect(damaged.lines.count < 200 && damaged.lines.count > 150)
        #expect(damaged.errors.contains("cannot be read") && damaged.errors.contains("hark repair"))
        #expect(Set(damaged.lines).isSubset(of: before))
        let doctor = try home.hark("doctor")
        #expect(doctor.ending == .exited(1) && doctor.output.contains("hark repair"))
        #expect(try home.hark("status").output.contains("hark repair"))
        #expect(try home.hark("record", "meanwhile").ending == .exited(0))

        let repaired = try home.hark("repair")
        #expect(repaired.ending == .exited(0), "\(repaired.output) \(repaired.errors)")
        #expect(repaired.output.contains("brought back 0 sessions and \(200 - damaged.lines.count) events"))
        let after = try home.hark("events", "--json", "--name", "step", "--limit", "1000")
        #expect(after.lines == before && after.errors.isEmpty)
        #expect(try home.hark("events", "--json", "--name", "meanwhile").lines.count == 1)
        // It is the same process, which a service manager has not seen end.
        let status = try SocketClient.parse(Array(try home.hark("status", "--json").output.utf8))
        #expect(status["pid"]?.intValue == Int64(daemon.id))
        #expect(try home.hark("doctor").ending == .exited(0))
        // The damaged file stays until something is removed.
        #expect(FileManager.default.fileExists(atPath: home.state + "/hark.db.damaged"))
        #expect(try home.hark("clear", "--user", "cleo", "--yes").ending == .exited(0))
        try waitUntil("it is gone") { !FileManager.default.fileExists(atPath: home.state + "/hark.db.damaged") }
        #expect(try daemon.stop().ending == .exited(0))
    }

    @Test("lists tell what is missing, and hark repair brings all back")
    func repair() throws { try tryRepair() }

    @Test("so it does where the socket is the service manager's")
    func adopted() throws {
        let hand = """
            import os, socket, sys
            path = sys.argv[1]
            if os.path.exists(path): os.unlink(path)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            listener.listen()
            if listener.fileno() != 3: os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
            os.execvp(sys.argv[2], sys.argv[2:])
            """
        home.prefix = ["python3", "-c", hand, home.socket]
        try tryRepair()
    }

    @Test("a table that nothing can be looked up in is made anew at the start, and keeps nothing else from its work")
    func start() throws {
        var daemon = try home.start()
        defer { daemon.kill() }
        let before = try fill(daemon)
        try home.hark("counter", "register", "visits")
        _ = try daemon.stop()
        let file = StoreFile(of: home)
        for table in ["counter", "current"] {
            let root = try #require(try file.query("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'").first)
            try file.damage(at: Int(root - 1) * StoreFile.pageSize, count: StoreFile.pageSize)
        }
        daemon = try home.start()
        #expect(try daemon.errors.contains("was rebuilt"))
        #expect(try home.hark("events", "--json", "--name", "step", "--limit", "1000").lines == before)
        #expect(try home.hark("record", "new").ending == .exited(0))
        #expect(try home.hark("doctor").ending == .exited(1))
        #expect(try home.hark("repair").ending == .exited(0))
        #expect(try home.hark("doctor").ending == .exited(0))
    }
}
