import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// Blocks of sessions of machines, which also have the numbers that the records have there.
@Suite struct MachineBlockTests {
    private static let machine = MachineIdentity(
        row: 3, name: "kiosk-1", group: nil, log: Identifier(high: 5, low: 6))
    private static let session = SessionIdentity(
        row: 1, id: Identifier(high: 1, low: 2), scope: Scope(uid: machine.uid), userId: nil,
        startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false, machine: machine, machineUID: 1000)

    /// The same records as the hub's own, with random numbers.
    private static func records(_ count: Int, _ random: inout SplitMix64) -> [Record] {
        var origin: UInt64 = 1
        return BlockTests.records(count, &random).map { record in
            switch Int.random(in: 0...5, using: &random) {
            case 0: origin = UInt64.random(in: 0...Record.largestOrigin, using: &random)
            case 1: origin = [0, Record.largestOrigin].randomElement(using: &random) ?? 0
            default: origin = min(origin + UInt64.random(in: 1...3, using: &random), Record.largestOrigin)
            }
            return Record(
                sequence: record.sequence, id: record.id, at: record.at, kind: record.kind, session: session,
                name: record.name, source: record.source, properties: record.properties, origin: origin)
        }
    }

    @Test("numbers of machines come back with all else, wherever they jump", arguments: 1...40)
    func roundTrip(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let records = Self.records(Int.random(in: 1...200, using: &random), &random)
        let bytes = BlockTests.pack(records).bytes
        #expect(bytes.first == BlockBuilder.versionWithOrigins)
        let (found, isDamaged) = try #require(BlockTests.unpack(bytes))
        #expect(!isDamaged)
        #expect(found.map(\.origin) == records.map(\.origin))
        #expect(found.map(\.sequence) == records.map(\.sequence))
        #expect(found.map(\.id) == records.map(\.id))
        #expect(found.map(\.at) == records.map(\.at))
        #expect(found.map(\.properties) == records.map(\.properties))
        #expect(found.map { Array($0.name.utf8) } == records.map { Array($0.name.utf8) })
    }

    @Test("a block of the hub's own sessions is what it has always been, and a record no larger")
    func own() {
        let session = SessionIdentity(
            row: 1, id: Identifier(high: 1, low: 2), scope: Scope(uid: 1000), userId: nil,
            startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false)
        let record = Record(
            sequence: 5, id: Identifier(high: 0x0102_0304_0506_0708, low: 9), at: Timestamp(milliseconds: 3),
            kind: .event, session: session, name: "ab", source: Source(uid: 7, pid: 8),
            properties: Properties([("k", .bool(true))]))
        let id: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 9]
        #expect(BlockTests.pack([record]).bytes == [1, 6, 5, 0] + id + [0, 7, 8, 0, 2, 97, 98, 3, 1, 107, 4])
        // Its members without that number, which is in the gap behind the kind.
        let numbers = MemoryLayout<(UInt64, Identifier, Timestamp, UInt64)>.size
        let references = MemoryLayout<(SessionIdentity, String, Source, Properties)>.size
        #expect(MemoryLayout<Record>.size == numbers + references)
        #expect(MemoryLayout<Properties>.size == 16)
    }

    @Test("a number that no log can have makes a block a damaged one")
    func tooLarge() throws {
        let record = Record(
            sequence: 1, id: Identifier(high: 0, low: 0), at: Timestamp(milliseconds: 0), kind: .event,
            session: Self.session, name: "x", source: Source(uid: 0, pid: 0), origin: 1)
        var bytes = BlockTests.pack([record]).bytes
        // Version, time, number, kind, id, time, uid, pid; then the number on the machine.
        let place = 1 + 1 + 1 + 1 + 16 + 1 + 1 + 1
        #expect(bytes[place] == 2)
        var number: [UInt8] = []
        number.appendZigzag(Int64(Record.largestOrigin) + 1)
        bytes.replaceSubrange(place...place, with: number)
        let (found, isDamaged) = try #require(BlockTests.unpack(bytes))
        #expect(found.isEmpty && isDamaged)
    }

    @Test("a block cut off anywhere yields whole records, and damaged bytes never trap", arguments: 1...4)
    func damaged(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let records = Self.records(8, &random)
        let whole = BlockTests.pack(records).bytes
        for count in 2..<whole.count {
            let (found, _) = try #require(BlockTests.unpack(Array(whole[..<count])))
            #expect(found.map(\.id) == records.prefix(found.count).map(\.id))
        }
        for _ in 0..<5_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 1..<min(bytes.count, 400), using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                let start = Int.random(in: 1..<min(bytes.count, 200) - 12, using: &random)
                for offset in 0..<9 { bytes[start + offset] = 0xff }
                bytes[start + 9] = UInt8.random(in: 0...1, using: &random)
            }
            for record in BlockTests.unpack(bytes)?.records ?? [] { #expect(record.origin <= Record.largestOrigin) }
        }
    }
}
