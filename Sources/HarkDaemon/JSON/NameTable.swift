/// Finds what a name of the protocol stands for by the bytes of a line, without making a text of them.
///
/// It compares one after the other, so it is for a handful of names.
final class NameTable<Value> {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let entries: [(name: UnsafeBufferPointer<UInt8>, value: Value)]

    init(_ names: [(name: String, value: Value)]) {
        bytes = .allocate(capacity: names.reduce(0) { $0 + $1.name.utf8.count })
        var end = 0
        var entries: [(name: UnsafeBufferPointer<UInt8>, value: Value)] = []
        for (name, value) in names {
            let start = end
            end += name.utf8.count
            let place = UnsafeMutableBufferPointer(rebasing: bytes[start..<end])
            _ = place.initialize(from: name.utf8)
            entries.append((UnsafeBufferPointer(place), value))
        }
        self.entries = entries
    }

    deinit { bytes.deallocate() }

    subscript(name: UnsafeBufferPointer<UInt8>) -> Value? {
        for entry in entries where name.isEqual(entry.name) { return entry.value }
        return nil
    }
}
