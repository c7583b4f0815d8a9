import Glibc
import HarkWire

/// Finds members by the bytes of their names. Members usually come in the order of the list, so the name after the last
/// match is tried first.
package struct MemberNames: Sendable {
    /// The names as escaped in JSON, concatenated.
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    private var expected = 0

    package init(_ names: some Sequence<String>) {
        for name in names {
            let start = bytes.count
            bytes += Self.escaped(name)
            ranges.append(start..<bytes.count)
        }
    }

    /// Returns the index of a name in the list.
    ///
    /// - Parameter key: The name as escaped in JSON, without quotes.
    package mutating func place(of key: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let key = UnsafeBufferPointer(rebasing: key)
        if let place = find(key) { return place }
        // Some characters have several JSON spellings.
        guard key.contains(.backslash), let name = JSONText(ArraySlice([.quote] + key + [.quote])).string else {
            return nil
        }
        return Self.escaped(name).withUnsafeBufferPointer { find($0) }
    }

    private mutating func find(_ key: UnsafeBufferPointer<UInt8>) -> Int? {
        let first = expected < ranges.count ? expected : 0
        let found = bytes.withUnsafeBufferPointer { bytes in
            ranges.withUnsafeBufferPointer { ranges in
                func isKey(_ place: Int) -> Bool {
                    Self.isEqual(UnsafeBufferPointer(rebasing: bytes[ranges[place]]), key)
                }
                return (first..<ranges.count).first(where: isKey) ?? (0..<first).first(where: isKey)
            }
        }
        if let found { expected = found + 1 }
        return found
    }

    @inline(__always)
    private static func isEqual(_ name: UnsafeBufferPointer<UInt8>, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count == key.count else { return false }
        guard let start = name.baseAddress, let other = key.baseAddress else { return true }
        return memcmp(start, other, name.count) == 0
    }

    private static func escaped(_ name: String) -> ArraySlice<UInt8> {
        var json = JSONWriter()
        json.string(name)
        return json.bytes.dropFirst().dropLast()
    }
}
