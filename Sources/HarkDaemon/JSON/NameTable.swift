import HarkCore

/// Finds what a name of the protocol stands for by the bytes of a line, without making a text of them.
///
/// It compares one after the other, so it is for a handful of names. What it holds is made once and never freed, so that
/// nobody who looks something up counts who else does; nor does it change, so any thread may.
struct NameTable<Value: Sendable>: @unchecked Sendable {
    private typealias Entry = (name: UnsafeBufferPointer<UInt8>, value: Value)
    private let entries: UnsafeBufferPointer<Entry>

    init(_ names: [(name: String, value: Value)]) {
        let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: names.count)
        _ = entries.initialize(
            from: names.map { name, value in
                let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.utf8.count)
                _ = bytes.initialize(from: name.utf8)
                return (UnsafeBufferPointer(bytes), value)
            })
        self.entries = UnsafeBufferPointer(entries)
    }

    subscript(name: UnsafeBufferPointer<UInt8>) -> Value? {
        for entry in entries where name.hasSameBytes(as: entry.name) { return entry.value }
        return nil
    }
}
