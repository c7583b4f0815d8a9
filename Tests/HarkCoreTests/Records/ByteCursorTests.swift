import Testing

@testable import HarkCore

/// Numbers in few bytes.
@Suite struct ByteCursorTests {
    @Test(
        "unsigned numbers come back, in as few bytes as they need",
        arguments: [(0, 1), (1, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (UInt64.max >> 1, 9), (.max, 10)]
            as [(UInt64, Int)])
    func varint(_ value: UInt64, _ length: Int) {
        var bytes: [UInt8] = []
        bytes.appendVarint(value)
        #expect(bytes.count == length)
        bytes.withUnsafeBufferPointer { buffer in
            var cursor = ByteCursor(buffer)
            #expect(cursor.varint() == value)
            #expect(cursor.isAtEnd)
            #expect(!cursor.isDamaged)
        }
    }

    @Test(
        "signed numbers come back, small ones of either sign in one byte",
        arguments: [0, -1, 1, -64, 63, 64, .min, .max] as [Int64])
    func zigzag(_ value: Int64) {
        var bytes: [UInt8] = []
        bytes.appendZigzag(value)
        if (-64...63).contains(value) { #expect(bytes.count == 1) }
        bytes.withUnsafeBufferPointer { buffer in
            var cursor = ByteCursor(buffer)
            #expect(cursor.zigzag() == value)
            #expect(cursor.isAtEnd)
        }
    }

    @Test("eight bytes come back")
    func littleEndian() {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(0x0102_0304_0506_0708)
        #expect(bytes == [8, 7, 6, 5, 4, 3, 2, 1])
        bytes.withUnsafeBufferPointer { buffer in
            var cursor = ByteCursor(buffer)
            #expect(cursor.littleEndian() == 0x0102_0304_0506_0708)
        }
    }

    @Test("eight bytes of which some are missing are damage, wherever they begin", arguments: 0...8)
    func tooFew(_ count: Int) {
        [UInt8](repeating: 7, count: count + 1).withUnsafeBufferPointer { buffer in
            var cursor = ByteCursor(buffer)
            _ = cursor.byte()
            #expect(cursor.littleEndian() == (count == 8 ? 0x0707_0707_0707_0707 : 0))
            #expect(cursor.isDamaged == (count < 8))
            #expect(cursor.isAtEnd)
        }
    }

    @Test("past the end there are zeros and empty runs, and the cursor says that it is damaged")
    func pastTheEnd() {
        [1, 2].withUnsafeBufferPointer { (buffer: UnsafeBufferPointer<UInt8>) in
            var cursor = ByteCursor(buffer)
            #expect(cursor.take(3).isEmpty)
            #expect(cursor.isDamaged)
            #expect(cursor.byte() == 0)
            #expect(cursor.varint() == 0)
            #expect(cursor.isAtEnd)
        }
    }

    @Test(
        "a count below zero or a number that goes on for too long is damage",
        arguments: [[UInt8](repeating: 0xff, count: 20), [0x80]])
    func endless(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { buffer in
            var cursor = ByteCursor(buffer)
            #expect(cursor.take(-1).isEmpty)
            #expect(cursor.isDamaged)
            var other = ByteCursor(buffer)
            _ = other.varint()
            #expect(other.isDamaged)
        }
    }
}
