import Glibc
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Emptying the write-ahead log while the daemon is at work.
@Suite struct ScrubTests {
    @Test("the log is emptied though it is just being copied: a clear is not refused because of what Hark does itself")
    func whileCopying() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try Store(folder: folder.path)
        defer { store.close() }
        let session = SessionIdentity(
            row: 1, id: Identifier(high: 7, low: 1), scope: Scope(uid: 1000, app: "default"), userId: nil,
            startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: true)
        // Some eight megabytes, and so enough to have them copied.
        let text = String(repeating: "x", count: 8_000)
        for round in 0..<20 {
            var changes = Changes()
            if round == 0 { changes.rows = [.session(.insert(Session(session, endedAt: nil)))] }
            changes.records = (1...1_000).map { number in
                let sequence = UInt64(round * 1_000 + number)
                return Record(
                    sequence: sequence, id: Identifier(high: 9, low: sequence), at: Timestamp(milliseconds: 0),
                    kind: .event, session: session, name: "event", source: Source(uid: 1000, pid: 42),
                    properties: Properties([("text", .string(text))]))
            }
            let newest = UInt64(round + 1) * 1_000
            let batch = Batch(changes: changes, watermark: .init(lastSequence: newest, lastSessionRow: 1))
            _ = try await withCheckedContinuation { continuation in
                store.commit(batch) { continuation.resume(returning: $1) }
            }.get()
            // Copying begins after the report, and takes some milliseconds.
            usleep(UInt32(round) * 400)
            try await store.scrub()
            #expect(try contents(of: folder.path + "/hark.db-wal").isEmpty)
        }
        #expect(try await store.read { reader throws(StoreError) in try reader.totals().events } == 20_000)
    }
}
