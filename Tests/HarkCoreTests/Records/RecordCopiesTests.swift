import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// Copies of many records that lie in the same memory.
@Suite struct RecordCopiesTests {
    private static func record(_ number: Int, name: String, bytes: Int) -> Record {
        let session = SessionIdentity(
            row: 1, id: Identifier(high: 1, low: 2), scope: Scope(uid: 1000), userId: nil,
            startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false)
        let letter = String(UnicodeScalar(UInt8(97 + number % 26)))
        return Record(
            sequence: UInt64(number), id: Identifier(high: 3, low: UInt64(number)), at: Timestamp(milliseconds: 5),
            kind: .event, session: session, name: name, source: Source(uid: 1, pid: 2),
            properties: bytes == 0 ? .none : Properties([("k", .string(String(repeating: letter, count: bytes)))]))
    }

    private static func copies(_ records: [Record]) -> [Record] {
        var copies = RecordCopies()
        for record in records { record.withView { copies.append($0, of: record.session) } }
        return copies.take()
    }

    private static func isSame(_ copy: Record, _ record: Record) -> Bool {
        copy.sequence == record.sequence && copy.id == record.id && copy.at == record.at && copy.kind == record.kind
            && copy.name.utf8.elementsEqual(record.name.utf8) && copy.source == record.source
            && copy.properties == record.properties && copy.properties.bytes == record.properties.bytes
            && copy.properties.byteCount == record.properties.byteCount
            && copy.properties.isEmpty == record.properties.isEmpty
            && copy.properties.members.map(\.value) == record.properties.members.map(\.value)
    }

    @Test("each holds what its record held, whatever the sizes and names", arguments: 1...20)
    func content(_ seed: UInt64) {
        var random = SplitMix64(state: seed)
        let names = ["", "tap", "caf\u{e9}", "cafe\u{301}", "a name of more than fifteen bytes"]
        let records = (0..<300).map { number in
            let bytes = [0, 0, 1, 200, 200, 5_000, 70_000].randomElement(using: &random) ?? 0
            return Self.record(number, name: names.randomElement(using: &random) ?? "", bytes: bytes)
        }
        let copies = Self.copies(records)
        #expect(copies.count == records.count)
        #expect(zip(copies, records).allSatisfy { Self.isSame($0, $1) })
    }

    @Test("one keeps what it holds when the others are gone, and one that is changed changes no other")
    func apart() throws {
        let records = (0..<3).map { Self.record($0, name: "tap", bytes: 10) }
        let middle = Self.copies(records)[1]
        #expect(Self.isSame(middle, records[1]))
        let copies = Self.copies(records)
        var changed = copies[1].properties
        changed.append("more", .integer(1))
        var expected = records[1].properties
        expected.append("more", .integer(1))
        #expect(changed == expected)
        #expect(changed != copies[1].properties)
        var joined = copies[0].properties
        joined.append(copies[2].properties)
        #expect(joined.bytes == records[0].properties.bytes + records[2].properties.bytes)
        #expect(zip(copies, records).allSatisfy { Self.isSame($0, $1) })
    }

    @Test("what was taken is not there a second time")
    func anew() {
        var copies = RecordCopies()
        let records = (0..<4).map { Self.record($0, name: "tap", bytes: 40_000) }
        for record in records[..<3] { record.withView { copies.append($0, of: record.session) } }
        #expect(copies.take().count == 3)
        records[3].withView { copies.append($0, of: records[3].session) }
        let rest = copies.take()
        #expect(rest.count == 1 && Self.isSame(rest[0], records[3]))
        #expect(copies.take().isEmpty)
    }
}
