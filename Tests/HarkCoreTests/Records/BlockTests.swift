import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// Records, packed into a block and taken out again.
@Suite struct BlockTests {
    /// Random records of one session, ascending in sequence, with every extreme now and then.
    static func records(_ count: Int, _ random: inout SplitMix64) -> [Record] {
        let session = SessionIdentity(
            row: 1, id: Identifier(high: 1, low: 2), scope: Scope(uid: 1000), userId: nil,
            startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false)
        let names = ["", "tap", "button_tap", "caf\u{e9}", "cafe\u{301}", String(repeating: "n", count: 256)]
        let times = [
            Timestamp.earliest, .latest, Timestamp(milliseconds: 0), Timestamp(milliseconds: 1_800_000_000_000),
        ]
        var sequence: UInt64 = 0
        return (0..<count).map { _ in
            sequence += UInt64.random(in: 1...3, using: &random) << (Bool.random(using: &random) ? 0 : 20)
            return Record(
                sequence: sequence, id: Identifier(high: random.next(), low: random.next()),
                at: times.randomElement(using: &random)!,
                kind: [.event, .sessionStarted, .sessionEnded]
                    .randomElement(using: &random)!, session: session, name: names.randomElement(using: &random)!,
                source: Source(
                    uid: [0, 1000, .max].randomElement(using: &random)!,
                    pid: [0, 1, 4_194_304, .max, -1].randomElement(using: &random)!),
                properties: Properties(
                    (0..<Int.random(in: 0...4, using: &random)).map {
                        (
                            "k\($0)",
                            PropertiesTests.values.filter { $0 != PropertiesTests.values[3] }
                                .randomElement(using: &random)!
                        )
                    }))
        }
    }

    static func pack(_ records: [Record]) -> BlockBuilder {
        var builder = BlockBuilder(session: records[0].session)
        _ = builder.append(records[...])
        return builder
    }

    /// The readable records; nil for bytes that are no block.
    static func unpack(_ bytes: [UInt8]) -> (records: [Record], isDamaged: Bool)? {
        bytes.withUnsafeBufferPointer { buffer in
            guard var reader = BlockReader(buffer) else { return nil }
            let session = SessionIdentity(
                row: 1, id: Identifier(high: 1, low: 2), scope: Scope(uid: 1000), userId: nil,
                startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false)
            var records: [Record] = []
            while let view = reader.next() { records.append(Record(view, of: session)) }
            return (records, reader.isDamaged)
        }
    }

    @Test("records of every shape come back byte for byte", arguments: 1...40)
    func roundTrip(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let records = Self.records(Int.random(in: 1...200, using: &random), &random)
        let builder = Self.pack(records)
        let (found, isDamaged) = try #require(Self.unpack(builder.bytes))
        #expect(!isDamaged)
        #expect(found.count == records.count)
        for (record, original) in zip(found, records) {
            #expect(record.sequence == original.sequence)
            #expect(record.id == original.id)
            #expect(record.at == original.at)
            #expect(record.kind == original.kind)
            #expect(Array(record.name.utf8) == Array(original.name.utf8))
            #expect(record.source == original.source)
            #expect(record.properties == original.properties)
        }
        #expect(builder.firstSequence == records.first?.sequence)
        #expect(builder.lastSequence == records.last?.sequence)
        #expect(builder.earliest == records.map(\.at).min())
        #expect(builder.latest == records.map(\.at).max())
        #expect(builder.count == records.count)
    }

    @Test("a block is full at 512 records, or at 64 KiB")
    func full() {
        var random = SplitMix64(state: 3)
        let records = Self.records(BlockBuilder.maxRecords, &random)
        var builder = BlockBuilder(session: records[0].session)
        let taken = builder.append((records + records)[...])
        #expect(builder.isFull)
        #expect(builder.count == taken && taken <= BlockBuilder.maxRecords)
        #expect(builder.append(records[...]) == 0, "a full one takes no more")
        #expect(taken == BlockBuilder.maxRecords || builder.bytes.count >= BlockBuilder.maxBytes)
        #expect(builder.events == (records + records)[..<taken].count { $0.kind == .event })

        var small = BlockBuilder(session: records[0].session)
        for sequence in 1...UInt64(BlockBuilder.maxRecords) {
            #expect(!small.isFull)
            let record = Record(
                sequence: sequence, id: Identifier(high: 0, low: 0), at: Timestamp(milliseconds: 0), kind: .event,
                session: records[0].session, name: "x", source: Source(uid: 0, pid: 0))
            #expect(small.append([record]) == 1)
        }
        #expect(small.isFull)
    }

    @Test("a block of another version is none")
    func version() {
        #expect(Self.unpack([]) == nil)
        #expect(Self.unpack([BlockBuilder.versionWithOrigins &+ 1, 0, 0]) == nil)
    }

    @Test("a block cut off anywhere yields whole records and says that it is damaged")
    func truncated() throws {
        var random = SplitMix64(state: 4)
        let records = Self.records(6, &random)
        let whole = Self.pack(records).bytes
        var ends: Set<Int> = []
        for count in 1...records.count { ends.insert(Self.pack(Array(records[..<count])).bytes.count) }
        for count in 2..<whole.count {
            let (found, isDamaged) = try #require(Self.unpack(Array(whole[..<count])))
            #expect(found.map(\.id) == records.prefix(found.count).map(\.id))
            if !ends.contains(count), found.count > 0 { #expect(isDamaged, "cut at \(count) of \(whole.count)") }
        }
    }

    @Test("damaged bytes never trap", arguments: 1...4)
    func damaged(_ seed: UInt64) {
        var random = SplitMix64(state: seed)
        let whole = Self.pack(Self.records(8, &random)).bytes
        for _ in 0..<5_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 1..<min(bytes.count, 400), using: &random)
                bytes[index] = [UInt8.random(in: 0...255, using: &random), 0xff, 0x7f, 0x80, 0].randomElement(
                    using: &random)!
            }
            // Runs of continued varints reach every overflow there is.
            if Bool.random(using: &random) {
                let start = Int.random(in: 1..<min(bytes.count, 200) - 12, using: &random)
                for offset in 0..<9 { bytes[start + offset] = 0xff }
                bytes[start + 9] = UInt8.random(in: 0...1, using: &random)
            }
            _ = Self.unpack(bytes)
        }
    }
}
