import Foundation
import HarkWire
import Testing

/// Faulty stores: refused with a remedy and never changed, or used where they can be.
@Suite(.endToEnd) struct RefusedStoreTests {
    private let home: DaemonHome
    private let store: StoreFile

    /// A home with a store of a few thousand events.
    init() throws {
        home = try DaemonHome()
        store = StoreFile(of: home)
        let daemon = try home.start()
        let client = try daemon.connect()
        for part in 0..<20 {
            let text = String(repeating: "x", count: 200)
            for number in 0..<100 {
                try client.send(
                    #"{"id":\#(number),"method":"event.record","params":{"name":"a","app":"\#(part % 3)","properties":{"t":"\#(text)"}}}"#
                        + "\n")
            }
            for _ in 0..<100 { _ = try client.readLine() }
        }
        // A pass that does not end would be left where it is, with its hand on the file.
        try client.waitForArchive()
        // After an end in order everything is in the one file.
        #expect(try daemon.stop().ending == .exited(0))
        #expect(access(store.path + "-wal", F_OK) != 0)
    }

    private func expectRefusal(_ hints: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = try store.bytes
        let daemon = try home.launch()
        let ending = try daemon.child.wait()
        let errors = try daemon.errors
        #expect(ending == .exited(74), "\(errors)", sourceLocation: sourceLocation)
        for hint in [store.path] + hints {
            #expect(errors.contains(hint), "\(hint): \(errors)", sourceLocation: sourceLocation)
        }
        #expect(try store.bytes == before, "the file is as it was", sourceLocation: sourceLocation)
        #expect(access(home.socket, F_OK) != 0, "nobody is served", sourceLocation: sourceLocation)
    }

    @Test("a store of a newer Hark")
    func newer() throws {
        try store.execute("PRAGMA user_version = 99")
        try expectRefusal(["newer Hark", "99", "install that version", "move the file aside"])
    }

    @Test("an SQLite file of another program")
    func foreign() throws {
        try check("unlink") { unlink(store.path) }
        try store.execute("CREATE TABLE notes(text); INSERT INTO notes VALUES('precious')")
        try expectRefusal(["not a Hark store", "move it aside", "--state"])
        try store.execute("PRAGMA application_id = 42; PRAGMA user_version = 1")
        try expectRefusal(["not a Hark store", "move it aside", "--state"])
    }

    @Test("a file whose first page is damaged, where there is no copy of it")
    func garbage() throws {
        try store.damage(at: 0, count: 100)
        try check("unlink") { unlink(store.path + ".head") }
        try expectRefusal(["damaged", "move the file aside", "hark repair"])
    }

    /// All events, and the warnings.
    private func events(_ client: SocketClient) throws -> (texts: [String], warnings: [String]) {
        var (texts, warnings, after) = ([String](), [String](), Int64?(0))
        while let from = after {
            let page = try client.call("event.list", #"{"limit":10000,"afterSeq":\#(from)}"#)
            texts += (page["events"]?.arrayValue ?? []).map { "\($0)" }
            warnings += (page["warnings"]?.arrayValue ?? []).compactMap(\.stringValue)
            after = page["nextAfterSeq"]?.intValue
        }
        return (texts, warnings)
    }

    @Test("a damaged first page is put back from its copy, and nothing is lost")
    func head() throws {
        var daemon = try home.start()
        let before = try events(daemon.connect())
        try daemon.stop()
        try store.damage(at: 0, count: 100)
        daemon = try home.start()
        let after = try events(daemon.connect())
        #expect(before.texts.count == 2_000 && after.texts == before.texts && after.warnings.isEmpty)
    }

    @Test("a file cut off in the middle is filled up, and what is missing is passed over")
    func cutOff() throws {
        let half = try store.bytes.count / 2
        try check("truncate") { truncate(store.path, off_t(half)) }
        let daemon = try home.start()
        #expect(try daemon.errors.contains("was cut short"))
        let client = try daemon.connect()
        let found = try events(client)
        #expect(found.texts.count < 2_000)
        #expect(try client.ask("event.record", #"{"name":"still"}"#).result?["seq"] != nil)
        // It cannot always rule out that missing numbers were other records: exit code 1 says so.
        let repair = try home.hark("repair")
        #expect(repair.ending == .exited(0) || repair.ending == .exited(1), "\(repair.errors)")
        #expect(try events(daemon.connect()).texts.count == 2_001)
    }

    @Test(
        "a damaged page that the start needs keeps nothing from being recorded",
        arguments: ["session", "block", "meta"])
    func rootPage(of name: String) throws {
        let page = try #require(try store.query("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'").first)
        try store.damage(at: Int(page - 1) * StoreFile.pageSize, count: StoreFile.pageSize)
        let daemon = try home.start()
        #expect(try daemon.errors.contains("rebuilt from everything that could be read; damaged: \(name)"))
        #expect(try daemon.connect().ask("event.record", #"{"name":"still"}"#).result?["seq"] != nil)
        // The archive does not have the begin of sessions, so with the blocks three records may be gone.
        let repair = try home.hark("repair")
        #expect(repair.ending == .exited(name == "block" ? 1 : 0), "\(repair)")
        #expect(try events(daemon.connect()).texts.count == 2_001)
    }

    @Test("damage that only a reader meets is told to that reader, and the rest goes on")
    func leafPage() throws {
        // The newest rows of the table are in its last leaves; the start needs no early one.
        let leaf = try #require(
            try store.query(
                """
                SELECT pageno FROM dbstat WHERE name = 'block' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 1
                """
            ).first)
        try store.damage(at: Int(leaf - 1) * StoreFile.pageSize, count: StoreFile.pageSize)
        let daemon = try home.start()
        let client = try daemon.connect()
        let found = try events(client)
        #expect(found.texts.count < 2_000 && found.texts.count > 1_500)
        #expect(found.warnings.contains { $0.contains("cannot be read") && $0.contains("hark repair") })
        #expect(try client.ask("event.record", #"{"name":"still"}"#).result?["seq"] != nil)
        #expect(try client.ask("daemon.status").result?["state"] == "running")
    }

    @Test("a flipped bit in a block is told to who reads it, and never ends the daemon")
    func flippedBits() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        let whole = try client.lines()
        for _ in 0..<40 {
            let block = try #require(try store.query("SELECT first FROM block ORDER BY random() LIMIT 1").first)
            let bit = try store.flipBit(ofBlock: block)
            let reply = try client.call("event.list", #"{"afterSeq":\#(block - 1),"limit":1}"#)
            #expect(reply["events"]?[0]?["seq"]?.intValue != block, "bit \(bit) of block \(block)")
            let warnings = reply["warnings"]?.arrayValue ?? []
            #expect(
                warnings.contains { $0.stringValue?.contains("hark repair") == true }, "bit \(bit) of block \(block)")
            try store.flipBit(bit, ofBlock: block)
        }
        #expect(try client.lines() == whole)
    }
}
