import Foundation
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// The files of the archive after any events between two deliveries (row E7).
@Suite struct ArchiveTreeTests {
    private let folder: TemporaryFolder
    private let root: String
    private var sequence: UInt64 = 0

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        root = folder.path + "/archive"
    }

    private func makeSession(_ userId: String? = "ada", row: Int64 = 1) -> SessionIdentity {
        SessionIdentity(
            row: row, id: Identifier(high: 7, low: UInt64(row)), scope: Scope(uid: 1000), userId: userId,
            startedAt: Timestamp(milliseconds: 1_800_000_000_000), metadata: Properties([("plan", .string("pro"))]),
            isImplicit: false)
    }

    private mutating func record(
        _ session: SessionIdentity, _ kind: Record.Kind = .event, bytes: Int = 0
    ) -> Record {
        sequence += 1
        let properties = Properties([
            ("n", .integer(Int64(sequence))), ("s", .string(String(repeating: "é\n", count: bytes / 3))),
        ])
        return Record(
            sequence: sequence, id: Identifier(high: 9, low: sequence),
            at: Timestamp(milliseconds: 1_800_000_000_000 + Int64(sequence)), kind: kind, session: session,
            name: kind == .event ? "event" : "", source: Source(uid: 1000, pid: 42), properties: properties)
    }

    private func path(_ session: SessionIdentity, _ file: String) -> String {
        "\(root)/users/\(UserFolder.name(for: session.userId))/sessions/\(session.id)/\(file)"
    }

    private func text(_ session: SessionIdentity, _ file: String = "events.jsonl") throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(session, file))), as: UTF8.self)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The lines the archive should have for these records.
    private func lines(_ records: [Record]) -> String {
        var json = JSONWriter()
        for record in records where record.kind == .event {
            record.withView { $0.write(of: record.session, to: &json) }
            json.newline()
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test(
        "E7: sessions that come by the dozen have what each would have by itself, also when they come again and go on")
    mutating func sessionsTogether() throws {
        let sessions = (1...40).map { makeSession("user-\($0)", row: Int64($0)) }
        let first = sessions.flatMap { [record($0, .sessionStarted), record($0)] }
        let tree = ArchiveTree(root: root)
        try tree.append(first[...])
        // As after a crash before the account.
        try tree.append(first[...])
        try ArchiveTree(root: root).append(first[...])
        let second = sessions.map { record($0) } + sessions.prefix(20).map { record($0, .sessionEnded) }
        try tree.append(second[...])
        for (number, session) in sessions.enumerated() {
            #expect(try text(session) == lines((first + second).filter { $0.session.row == session.row }))
            let description = try JSONReader.read(text(session, "session.json"))
            #expect(description["userId"]?.stringValue == session.userId)
            #expect((description["endedAt"] == .null) == (number >= 20))
            #expect(try FileManager.default.contentsOfDirectory(atPath: path(session, "")).count == 2)
        }
        for session in sessions { try tree.remove(session) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/users").isEmpty)
    }

    @Test("E7: what is written in several pieces is whole, of sessions in turns as well, also when it comes again")
    mutating func pieces() throws {
        let sessions = [makeSession("ada", row: 1), makeSession("bob", row: 2)]
        var records = sessions.map { record($0, .sessionStarted) }
        for number in 0..<3_000 {
            records.append(record(sessions[number / 100 % 2], bytes: number % 10 == 0 ? 3_000 : 60))
        }
        let tree = ArchiveTree(root: root)
        try tree.append(records[..<2_000])
        try tree.append(records[500..<2_500])
        try ArchiveTree(root: root).append(records[1_000...])
        for session in sessions {
            let expected = lines(records.filter { $0.session.row == session.row })
            #expect(expected.utf8.count > 1 << 20)
            #expect(try text(session) == expected)
        }
    }

    @Test("E7: a session has its description and a line for each event, for its owner alone")
    mutating func layout() throws {
        let session = makeSession()
        let records = [record(session, .sessionStarted), record(session), record(session)]
        try ArchiveTree(root: root).append(records)
        #expect(try text(session) == lines(records))
        #expect(try text(session).split(separator: "\n").count == 2)
        let description = try JSONReader.read(text(session, "session.json"))
        #expect(description["id"]?.stringValue == session.id.description)
        #expect(description["userId"] == "ada")
        #expect(description["endedAt"] == .null)
        #expect(description["metadata"] == ["plan": "pro"])
        for (place, mode) in [("users", 0o700), ("users/ada/sessions/\(session.id)/events.jsonl", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(place)")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: path(session, ""))
        #expect(files.sorted() == ["events.jsonl", "session.json"])
    }

    @Test("E7: the end of a session is written into its description", arguments: [false, true])
    func end(_ isRestarted: Bool) throws {
        var test = self
        let session = makeSession()
        var tree = ArchiveTree(root: root)
        try tree.append([test.record(session, .sessionStarted), test.record(session)])
        if isRestarted { tree = ArchiveTree(root: root) }
        let ended = test.record(session, .sessionEnded)
        try tree.append([test.record(session), ended])
        #expect(try text(session, "session.json").contains(#""endedAt":"\#(ended.at)""#))

        // Events that come after it, as with an import, do not take it back.
        try tree.append([test.record(session)])
        #expect(try text(session, "session.json").contains(#""endedAt":"\#(ended.at)""#))
        #expect(try text(session).split(separator: "\n").count == 3)
    }

    @Test("E7: what is delivered again changes nothing, in the same run and after a restart")
    mutating func again() throws {
        let sessions = [makeSession("ada", row: 1), makeSession(nil, row: 2)]
        var records: [Record] = sessions.map { record($0, .sessionStarted) }
        for turn in 0..<40 { records.append(record(sessions[turn % 2])) }
        records.append(record(sessions[0], .sessionEnded))
        var tree = ArchiveTree(root: root)
        try tree.append(records)
        try tree.append(records)
        // After a crash the batch comes again, perhaps cut elsewhere.
        for start in stride(from: 0, to: records.count, by: 7) {
            try ArchiveTree(root: root).append(Array(records[start...]))
        }
        try ArchiveTree(root: root).append(Array(records[..<30]))
        // Old and new in one batch.
        tree = ArchiveTree(root: root)
        for _ in 0..<2 {
            records.append(record(sessions[1]))
            try tree.append(records)
        }
        for session in sessions {
            #expect(try text(session) == lines(records.filter { $0.session === session }))
        }
        try ArchiveTree(root: root).append(records)
        #expect(!(try text(sessions[0], "session.json").contains(#""endedAt":null"#)))
    }

    @Test("E7: a line that was torn anywhere is cut off and written whole")
    mutating func torn() throws {
        let session = makeSession()
        let records = [record(session, .sessionStarted), record(session), record(session), record(session, bytes: 30)]
        try ArchiveTree(root: root).append(records)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path(session, "events.jsonl")))
        for count in 0...whole.count {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path(session, "events.jsonl")))
            try ArchiveTree(root: root).append(records)
            let mended = try Data(contentsOf: URL(fileURLWithPath: path(session, "events.jsonl")))
            try #require(mended == whole, "torn at \(count) of \(whole.count)")
        }
    }

    @Test("E7: what a loss of power left out between lines that are there is written again")
    mutating func hole() throws {
        let session = makeSession()
        let known = [record(session, .sessionStarted), record(session), record(session)]
        try ArchiveTree(root: root).append(known)
        let safe = try text(session).utf8.count
        // One of them longer than a sector, one that ends in one.
        let lost = [record(session, bytes: 700), record(session), record(session, bytes: 90), record(session)]
        try ArchiveTree(root: root).append(known + lost)
        let file = URL(fileURLWithPath: path(session, "events.jsonl"))
        let whole = try Data(contentsOf: file)
        for start in stride(from: safe, to: whole.count, by: 37) {
            var damaged = whole
            let end = min(start + 512, whole.count)
            damaged.replaceSubrange(start..<end, with: Data(count: end - start))
            try damaged.write(to: file)
            // What was accounted for does not come again, and is not touched.
            try ArchiveTree(root: root).append(lost)
            try #require(try Data(contentsOf: file) == whole, "without the bytes from \(start) to \(end)")
        }
    }

    @Test("E7: a number of which only the beginning is there is not taken for a small one")
    mutating func tornNumber() throws {
        let session = makeSession()
        sequence = 1_234_000
        let lines = [record(session), record(session), record(session)]
        try ArchiveTree(root: root).append(lines)
        let whole = try text(session)
        let file = URL(fileURLWithPath: path(session, "events.jsonl"))
        var damaged = Data(whole.utf8)
        let number = try #require(damaged.firstRange(of: Data("1234002".utf8)))
        damaged.replaceSubrange((number.lowerBound + 3)..<number.upperBound, with: Data(count: 4))
        try damaged.write(to: file)
        try ArchiveTree(root: root).append(lines)
        #expect(try text(session) == whole)
    }

    @Test("E7: a file taken in from another store, with numbers of its own, is left as it is")
    mutating func foreign() throws {
        let session = makeSession()
        sequence = 5_000
        let foreign = [record(session), record(session, bytes: 90_000), record(session)]
        try ArchiveTree(root: root).append(foreign)
        let before = try text(session)
        sequence = 2
        try ArchiveTree(root: root).append([record(session), record(session)])
        #expect(try text(session) == before)
    }

    @Test("E7: a torn line longer than any window is cut off too", arguments: [60_000, 70_000, 300_000, 1_000_000])
    func longLines(_ bytes: Int) throws {
        var test = self
        let session = makeSession()
        let records = [test.record(session, .sessionStarted), test.record(session), test.record(session, bytes: bytes)]
        try ArchiveTree(root: root).append(records)
        try ArchiveTree(root: root).append(records)
        #expect(try text(session) == lines(records))

        let whole = try Data(contentsOf: URL(fileURLWithPath: path(session, "events.jsonl")))
        for count in [whole.count - 1, whole.count / 2, whole.count - bytes] {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path(session, "events.jsonl")))
            let next = test.record(session)
            try ArchiveTree(root: root).append(records + [next])
            #expect(try text(session) == lines(records + [next]))
        }
    }

    @Test("E7: folders that somebody took away come back with what follows")
    mutating func removedByHand() throws {
        let session = makeSession()
        let tree = ArchiveTree(root: root)
        try tree.append([record(session, .sessionStarted), record(session)])
        try FileManager.default.removeItem(atPath: root)
        let next = record(session)
        try tree.append([next])
        #expect(try text(session) == lines([next]))
        #expect(try text(session, "session.json").contains(session.id.description))
    }

    @Test("E7: more sessions than are remembered are still written without a gap or a double")
    mutating func manySessions() throws {
        let tree = ArchiveTree(root: root)
        let sessions = (0..<1500).map { makeSession("user-\($0 % 7)", row: Int64($0)) }
        var first: [Record] = []
        for session in sessions { first += [record(session)] }
        try tree.append(first)
        var second: [Record] = []
        for session in sessions { second += [record(session)] }
        try tree.append(second)
        try tree.append(second)
        for (session, pair) in zip(sessions, zip(first, second)) {
            try #require(try text(session) == lines([pair.0, pair.1]))
        }
    }

    @Test("E6: a removed session leaves nothing behind, a user's folders go with the last one")
    mutating func removal() throws {
        let (one, other) = (makeSession("ada", row: 1), makeSession("ada", row: 2))
        let tree = ArchiveTree(root: root)
        try tree.append([record(one), record(other)])
        try tree.remove(one)
        #expect(!exists(path(one, "")))
        #expect(exists(path(other, "events.jsonl")))
        try tree.remove(one)
        try tree.remove(other)
        #expect(!exists(root + "/users/ada"))
        #expect(exists(root + "/users"))

        // Somebody's own file is left alone, with the folder it is in.
        try tree.append([record(one)])
        try Data().write(to: URL(fileURLWithPath: path(one, "notes.txt")))
        try tree.remove(one)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path(one, "")) == ["notes.txt"])
    }

    @Test("what is in the way is an error that names no user, and nothing is lost once it is gone")
    func inTheWay() async throws {
        // Before anything that the loop has to run: this may be the first test of all.
        _ = LoopThread.shared
        var test = self
        let session = makeSession("secret-user")
        let destination = ArchiveDestination(folder: root)
        let first = [test.record(session, .sessionStarted), test.record(session)]
        #expect(await destination.deliver(first) == .accepted)
        try FileManager.default.moveItem(atPath: root + "/users", toPath: root + "/aside")
        try Data().write(to: URL(fileURLWithPath: root + "/users"))

        let second = [test.record(session), test.record(session)]
        guard case .failed(let failure) = await destination.deliver(second), failure.kind == .local else {
            Issue.record("it was accepted")
            return
        }
        #expect(failure.reason.contains(root))
        #expect(!failure.reason.contains("secret-user"))

        try FileManager.default.removeItem(atPath: root + "/users")
        try FileManager.default.moveItem(atPath: root + "/aside", toPath: root + "/users")
        #expect(await destination.deliver(second) == .accepted)
        #expect(try text(session) == lines(first + second))
        await destination.close()
    }
}
