/// Packs members into memory with room for them (`hasRoom`, `Properties.memberOverhead`).
package struct PropertyPacker {
    @usableFromInline var packer: BytePacker
    private let start: UnsafeMutablePointer<UInt8>
    @usableFromInline let limit: UnsafeMutablePointer<UInt8>

    init(_ packer: BytePacker, room: Int) {
        self.packer = packer
        start = packer.end
        limit = packer.end + room
    }

    /// Whether a member with this key fits, with a text of `text` bytes, a number or a flag.
    @inlinable @inline(__always)
    package func hasRoom(key: UnsafeBufferPointer<UInt8>, text: Int) -> Bool {
        limit - packer.end >= key.count + text + Properties.memberOverhead
    }

    /// Whether a member with this key was appended; searches all of them.
    package func contains(key: UnsafeBufferPointer<UInt8>) -> Bool {
        var isThere = false
        let packed = UnsafeBufferPointer(start: UnsafePointer(start), count: packer.end - start)
        Properties.forEachMember(in: packed) { if $0.key.hasSameBytes(as: key) { isThere = true } }
        return isThere
    }

    @inlinable @inline(__always)
    package mutating func append(key: UnsafeBufferPointer<UInt8>, string: UnsafeBufferPointer<UInt8>) {
        append(key: key, tag: Properties.Tag.string)
        packer.append(varint: UInt64(string.count))
        packer.append(string)
    }

    @inlinable @inline(__always)
    package mutating func append(key: UnsafeBufferPointer<UInt8>, integer: Int64) {
        append(key: key, tag: Properties.Tag.integer)
        packer.append(varint: ByteCursor.zigzag(of: integer))
    }

    @inlinable @inline(__always)
    package mutating func append(key: UnsafeBufferPointer<UInt8>, double: Double) {
        append(key: key, tag: Properties.Tag.double)
        packer.append(littleEndian: double.bitPattern)
    }

    @inlinable @inline(__always)
    package mutating func append(key: UnsafeBufferPointer<UInt8>, bool: Bool) {
        append(key: key, tag: bool ? Properties.Tag.yes : Properties.Tag.no)
    }

    @inlinable @inline(__always)
    mutating func append(key: UnsafeBufferPointer<UInt8>, tag: UInt8) {
        packer.append(varint: UInt64(key.count))
        packer.append(key)
        packer.append(tag)
    }
}
