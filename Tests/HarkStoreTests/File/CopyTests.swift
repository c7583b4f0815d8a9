import Foundation
import HarkTesting
import Synchronization
import Testing

@testable import HarkStore

/// Copying the write-ahead log into the file during writes and reads (what it does when the disk refuses is tested by
/// `Tests/Sanitize/copy.c`).
@Suite struct CopyTests {
    private static let commits = 600

    private final class End: Sendable {
        let isReached = Atomic(false)
    }

    @Test("who reads while the log is copied finds what was committed, all of a commit or nothing of it")
    func besideReaders() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path + "/hark.db"
        let writer = try Database(path: path, access: .write)
        try writer.execute(
            """
            PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -512;
            CREATE TABLE total(version INTEGER);
            INSERT INTO total VALUES (0);
            CREATE TABLE item(id INTEGER PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL);
            """)
        let checkpointer = try Checkpointer(path: path)
        let end = End()
        // On threads of their own: other tests may take all of the tasks' threads until the writing is over.
        let (results, found) = AsyncStream<Result<Int, any Error>>.makeStream()
        for _ in 0..<2 { Thread { found.yield(Result { try CopyTests.read(path, until: end) }) }.start() }
        defer { end.isReached.store(true, ordering: .relaxed) }
        for version in 1...CopyTests.commits {
            try writer.transaction { () throws(StoreError) in try CopyTests.write(version, writer) }
            checkpointer.follow(writer)
        }
        await checkpointer.rested()
        end.isReached.store(true, ordering: .relaxed)
        var looks = 0
        for await result in results.prefix(2) { looks += try result.get() }
        #expect(looks > 0)
        // Until it is copied for the first time, the file is empty.
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(try #require(size) > 200_000, "hardly anything was copied meanwhile")
        checkpointer.close()
        _ = try writer.checkpoint(.truncate)
        #expect(try CopyTests.faults(writer) == 0)
        let check = try writer.prepare("PRAGMA integrity_check")
        #expect(try check.step() && check.text(0) == "ok")
    }

    /// Adds rows of several pages, changes and deletes others, and notes what all their versions make together.
    private static func write(_ version: Int, _ writer: Database) throws(StoreError) {
        try writer.execute(
            """
            INSERT INTO item SELECT \(version * 4) + value, \(version), '' FROM
                (SELECT 0 AS value UNION ALL SELECT 1 UNION ALL SELECT 2);
            UPDATE item SET version = \(version) WHERE id % 41 = \(version % 41);
            DELETE FROM item WHERE id % 97 = \(version % 97) AND id < \(version * 4);
            UPDATE item SET text = printf('%.*c', 100 + id * 977 % 9000, char(97 + version % 26)) WHERE version = \(version);
            UPDATE total SET version = (SELECT sum(version) FROM item);
            """)
    }

    /// How many rows are not what their version says, and one more if they are not of one commit.
    private static func faults(_ database: Database) throws(StoreError) -> Int64? {
        try database.integer(
            """
            SELECT count(*) FILTER (WHERE text <> printf('%.*c', 100 + id * 977 % 9000, char(97 + version % 26)))
                + (coalesce(sum(version), 0) <> (SELECT version FROM total)) FROM item
            """)
    }

    /// - Returns: how often it looked.
    private static func read(_ path: String, until end: End) throws -> Int {
        let reader = try Database(path: path, access: .read)
        var looks = 0
        while !end.isReached.load(ordering: .relaxed) {
            try #require(try faults(reader) == 0)
            looks += 1
        }
        return looks
    }
}
