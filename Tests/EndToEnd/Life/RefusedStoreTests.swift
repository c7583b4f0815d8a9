import Foundation
import HarkWire
import Testing

/// Stores that are not what they should be: refused with what to do, and never changed.
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

    @Test("a file that is no database")
    func garbage() throws {
        try store.damage(at: 0, count: 100)
        try expectRefusal(["damaged", "move it aside", ".recover", "hark import"])
    }

    @Test("a file cut off in the middle")
    func cutOff() throws {
        let half = try store.bytes.count / 2
        try check("truncate") { truncate(store.path, off_t(half)) }
        try expectRefusal(["damaged", "move it aside", ".recover", "hark import"])
    }

    @Test("a damaged page that the start needs", arguments: ["session", "block", "meta"])
    func rootPage(of name: String) throws {
        let page = try #require(try store.query("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'").first)
        try store.damage(at: Int(page - 1) * StoreFile.pageSize, count: StoreFile.pageSize)
        try expectRefusal(["damaged", "move it aside", ".recover", "hark import"])
    }

    @Test("damage that only a reader meets is told to that reader, and the rest goes on")
    func leafPage() throws {
        // The newest rows of the table stand in its last leaves; an early one is needed by nobody at the start.
        let leaf = try #require(
            try store.query(
                """
                SELECT pageno FROM dbstat WHERE name = 'block' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 1
                """
            ).first)
        try store.damage(at: Int(leaf - 1) * StoreFile.pageSize, count: StoreFile.pageSize)
        let daemon = try home.start()
        let client = try daemon.connect()
        let refusal = try client.ask("event.list", #"{"limit":10000}"#)
        #expect(refusal.reason == "storeUnavailable" && refusal.code == -32000, "\(refusal)")
        #expect(refusal.message?.contains("damaged") == true && refusal.message?.contains(".recover") == true)
        #expect(try client.ask("event.record", #"{"name":"still"}"#).result?["seq"] != nil)
        #expect(try client.ask("daemon.status").result?["state"] == "running")
    }

    @Test("a flipped bit in a block is an error for who reads it, and never ends the daemon")
    func flippedBits() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        let whole = try client.lines()
        for _ in 0..<40 {
            let block = try #require(try store.query("SELECT first FROM block ORDER BY random() LIMIT 1").first)
            let bit = try store.flipBit(ofBlock: block)
            let refusal = try client.ask("event.list", #"{"afterSeq":\#(block - 1),"limit":1}"#)
            #expect(refusal.reason == "storeUnavailable", "bit \(bit) of block \(block): \(refusal)")
            #expect(refusal.message?.contains(".recover") == true)
            try store.flipBit(bit, ofBlock: block)
        }
        #expect(try client.lines() == whole)
    }
}
