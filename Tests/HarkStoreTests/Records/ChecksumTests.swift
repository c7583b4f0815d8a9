import HarkCore
import Testing

@testable import HarkStore

@Suite("Checksum of a block") struct ChecksumTests {
    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes(Checksum.of) }

    /// The values come from the same steps in another language. Stores depend on them.
    @Test(
        "is what it was in each version",
        arguments: [
            (0, 0x60ff_90b2_94af_6fcb, 0), (7, 0x6bc3_f589_e20e_51ca, 0xec97_267b_36cd_88ca),
            (100, 0x3f91_94e6_5c46_9c2a, 0xe7ac_282f_957b_c631),
        ] as [(Int, UInt64, UInt64)])
    func stays(count: Int, now: UInt64, earlier: UInt64) {
        let bytes = Self.bytes(count)
        #expect(Self.checksum(bytes) == now)
        #expect(bytes.withUnsafeBytes(Checksum.ofEarlierVersion) == earlier)
    }

    @Test(
        "shows each bit that is flipped, and each byte that is missing or too much", arguments: [1, 8, 31, 32, 33, 100])
    func changes(count: Int) {
        let bytes = Self.bytes(count)
        let checksum = Self.checksum(bytes)
        for place in 0..<count {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                #expect(Self.checksum(changed) != checksum)
            }
        }
        #expect(Self.checksum(Array(bytes.dropLast())) != checksum)
        #expect(Self.checksum(bytes + [0]) != checksum)
    }

    @Test("shows words that have changed places", arguments: 0..<12, 0..<12)
    func order(first: Int, second: Int) {
        guard first < second else { return }
        var changed = Self.bytes(100)
        for byte in 0..<8 { changed.swapAt(8 * first + byte, 8 * second + byte) }
        #expect(Self.checksum(changed) != Self.checksum(Self.bytes(100)))
    }

    @Test("a block that an earlier version wrote is read, and one with neither checksum is not")
    func earlierBlocks() throws {
        let store = try StoreUnderTest()
        try store.add("a", events: 3)
        let block = try store.writer.database.prepare("SELECT data FROM block")
        #expect(try block.step())
        let earlier = block.bytes(0).withUnsafeBytes(Checksum.ofEarlierVersion)
        block.reset()
        for (checksum, isRead) in [(earlier, true), (earlier &+ 1, false)] {
            _ = try store.writer.database.prepare("UPDATE block SET checksum = ?")
                .bind(1, Int64(bitPattern: checksum)).step()
            #expect(try store.walk(RecordQuery(limit: 100)).sequences.isEmpty == !isRead)
        }
    }
}
