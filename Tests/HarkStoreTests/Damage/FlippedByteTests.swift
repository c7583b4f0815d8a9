import Foundation
import Glibc
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// One byte of the file is another, anywhere. `HARK_FLIPS` and `HARK_FLIPS_SEED` make it longer and other.
@Suite struct FlippedByteTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        getenv(name).flatMap { Int(String(cString: $0)) } ?? usual
    }

    /// The lines of all records and sessions, by number.
    private static func lines(_ reader: StoreReader) throws -> [UInt64: String] {
        var lines: [UInt64: String] = [:]
        var query = RecordQuery(limit: .max)
        query.kinds = .all
        for descending in [false, true] {
            query.descending = descending
            var seen = 0
            _ = try reader.forEachRecord(query) { session, record in
                var json = JSONWriter()
                record.write(of: session, only: [.id, .name, .timestamp, .properties, .source], to: &json)
                lines[record.sequence] = String(validating: json.bytes, as: UTF8.self) ?? "not UTF-8"
                seen += 1
                return seen < 100_000
            }
        }
        return lines
    }

    /// - Returns: Whether everything about sessions and state is valid text.
    private static func tellsText(_ reader: StoreReader, _ stage: CounterStage) throws -> Bool {
        var json = JSONWriter()
        json.beginArray()
        for (session, events) in try reader.sessions(SessionQuery(limit: 1_000)).sessions {
            session.write(to: &json, eventCount: events)
        }
        for counter in try reader.counters.state(of: stage.scope).counters { json.string("\(counter.value)") }
        for execution in try reader.executions(ExecutionQuery(limit: 100)).found { json.string(execution.key.id.text) }
        for run in try reader.runs(ExecutionQuery(limit: 100)) { json.string(run.key.id.text) }
        json.endArray()
        return (try? JSONSerialization.jsonObject(with: Data(json.bytes))) != nil
            && String(validating: json.bytes, as: UTF8.self) != nil
    }

    @Test("what is told is whole and as it was recorded, and what is missing is noted")
    func flips() throws {
        let stage = try CounterStage()
        for name in ["a", "b", "c"] { try stage.register(name) }
        for id in ["x", "y"] { try stage.add(id, "a", run: .exec(["true"], timeoutSeconds: 1)) }
        try stage.trigger("a")
        let store = stage.store
        for user in 0..<12 { try store.add("user \(user)", isCurrent: user % 2 == 0, events: 4, bytes: 40) }
        #expect(try store.writer.database.checkpoint(.truncate))
        let original = try Self.lines(store.reader)
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.path))
        // Most of a small file is unused.
        let used = whole.indices.filter { whole[$0] != 0 }
        let seed = UInt64(Self.number("HARK_FLIPS_SEED", Int(getpid())))
        var random = SplitMix64(state: seed)
        let folder = try TemporaryFolder(inMemory: true)
        for flip in 0..<Self.number("HARK_FLIPS", 60) {
            let (place, bit) = (random.pick(used), random.below(8))
            let about = Comment("flip \(flip): bit \(bit) of byte \(place), HARK_FLIPS_SEED=\(seed)")
            var bytes = whole
            bytes[place] ^= 1 << UInt8(bit)
            let path = folder.path + "/\(flip).db"
            try bytes.write(to: URL(fileURLWithPath: path))
            try FileManager.default.copyItem(atPath: store.path + ".head", toPath: path + ".head")
            defer { for end in ["", "-wal", "-shm", ".damaged", ".head"] { unlink(path + end) } }
            let unreadable = UnreadableRows()
            // Once as it is, and once rebuilt.
            for isAnew in [false, true] {
                if isAnew { try StoreSwap(path).want() }
                let writer = try StoreWriter.open(path: path, unreadable: unreadable)
                let reader = try StoreReader(path: path, unreadable: unreadable)
                do {
                    let told = try Self.lines(reader)
                    for (number, line) in told { #expect(line == original[number], about) }
                    #expect(try Self.tellsText(reader, stage), about)
                    _ = try reader.check(from: .start, patience: .max)
                    #expect(told.count == original.count || unreadable.count > 0, about)
                    #expect(original.count - told.count <= 60, about)
                } catch let error as StoreError where error.code == .corrupt && !isAnew {
                    // The daemon makes it anew then.
                } catch {
                    Issue.record(error, about)
                }
                withExtendedLifetime(writer) {}
            }
        }
    }
}
