/// Writers for the compact number formats of properties and blocks.
extension [UInt8] {
    /// Appends a LEB128 varint: seven bits per byte, lowest first.
    package mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a zigzag LEB128 varint: small numbers of either sign stay short.
    package mutating func appendZigzag(_ value: Int64) {
        appendVarint(ByteCursor.zigzag(of: value))
    }

    package mutating func appendLittleEndian(_ value: UInt64) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

/// Writes the same formats into memory with known room, where a bounds check per write would cost more than the write.
@usableFromInline
struct BytePacker {
    /// The address of the next byte.
    @usableFromInline var end: UnsafeMutablePointer<UInt8>

    init(_ start: UnsafeMutablePointer<UInt8>) { end = start }

    /// The greatest length of a varint, in bytes.
    static let varintBound = 10

    @inlinable @inline(__always)
    mutating func append(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    @inlinable @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        let count = bytes.count
        let (source, target) = (UnsafeRawPointer(base), UnsafeMutableRawPointer(end))
        // Most keys and texts are short: two words, which may overlap, are cheaper than a call of memcpy(3).
        if count > 16, count <= 32 {
            let first = source.loadUnaligned(as: SIMD2<UInt64>.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 16, as: SIMD2<UInt64>.self)
            target.storeBytes(of: first, as: SIMD2<UInt64>.self)
            target.storeBytes(of: last, toByteOffset: count &- 16, as: SIMD2<UInt64>.self)
        } else if count > 16 || count < 4 {
            target.copyMemory(from: source, byteCount: count)
        } else if count >= 8 {
            let first = source.loadUnaligned(as: UInt64.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            target.storeBytes(of: first, as: UInt64.self)
            target.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        } else {
            let first = source.loadUnaligned(as: UInt32.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            target.storeBytes(of: first, as: UInt32.self)
            target.storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
        }
        end += count
    }

    @inlinable @inline(__always)
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    @inlinable @inline(__always)
    mutating func append(littleEndian value: UInt64) {
        UnsafeMutableRawPointer(end).storeBytes(of: value.littleEndian, as: UInt64.self)
        end += 8
    }

    mutating func append(bigEndian value: UInt64) {
        UnsafeMutableRawPointer(end).storeBytes(of: value.bigEndian, as: UInt64.self)
        end += 8
    }
}

extension [UInt8] {
    /// Appends the bytes that `body` packs, at most `capacity`.
    mutating func append<Failure: Error>(
        upTo capacity: Int, _ body: (inout BytePacker) throws(Failure) -> Void
    ) throws(Failure) {
        try append(addingCapacity: capacity) { span throws(Failure) in
            try span.withUnsafeMutableBufferPointer { buffer, count throws(Failure) in
                guard let start = buffer.baseAddress else { return }
                var packer = BytePacker(start)
                try body(&packer)
                count = packer.end - start
            }
        }
    }
}

/// Reads the formats back. Damaged input never reads out of bounds: past the end, reads yield zeros and empty buffers
/// and set `isDamaged`.
package struct ByteCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    package private(set) var isDamaged = false

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { position >= bytes.count }

    /// The number of bytes read so far.
    var place: Int { position }

    /// Marks the input as damaged and moves to the end.
    package mutating func fail() {
        isDamaged = true
        position = bytes.count
    }

    package mutating func byte() -> UInt8 {
        guard position < bytes.count else {
            isDamaged = true
            return 0
        }
        defer { position += 1 }
        return bytes[position]
    }

    @inline(__always) package mutating func varint() -> UInt64 {
        // Most numbers are small.
        if position < bytes.count, bytes[position] < 0x80 {
            defer { position &+= 1 }
            return UInt64(bytes[position])
        }
        return longVarint()
    }

    @inline(never) private mutating func longVarint() -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = byte()
            value |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return value }
            shift += 7
            guard shift < 64 else {
                isDamaged = true
                return 0
            }
        }
    }

    /// A varint that counts bytes. `take` catches a count beyond the end.
    package mutating func length() -> Int {
        Int(truncatingIfNeeded: varint())
    }

    @inlinable static func zigzag(of value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

    package mutating func zigzag() -> Int64 {
        let raw = varint()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    package mutating func littleEndian() -> UInt64 {
        guard position <= bytes.count &- 8 else {
            fail()
            return 0
        }
        defer { position &+= 8 }
        return UInt64(
            littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    package mutating func take(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        guard count >= 0, count <= bytes.count - position else {
            isDamaged = true
            position = bytes.count
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        defer { position &+= count }
        return UnsafeBufferPointer(start: bytes.baseAddress.map { $0 + position }, count: count)
    }
}
