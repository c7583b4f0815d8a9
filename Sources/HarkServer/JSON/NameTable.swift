import HarkCore

/// Maps names of the protocol, given as bytes of a line, to values without making strings.
///
/// The search is linear, so it is for few names. The content is created once, never freed and never changed, so
/// look-ups need no reference counting and any thread may read.
package struct NameTable<Value: Sendable>: @unchecked Sendable {
    @usableFromInline typealias Entry = (name: UnsafeBufferPointer<UInt8>, value: Value)
    @usableFromInline let entries: UnsafeBufferPointer<Entry>

    package init(_ names: [(name: String, value: Value)]) {
        let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: names.count)
        _ = entries.initialize(
            from: names.map { name, value in
                let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.utf8.count)
                _ = bytes.initialize(from: name.utf8)
                return (UnsafeBufferPointer(bytes), value)
            })
        self.entries = UnsafeBufferPointer(entries)
    }

    // Inlined also where the hub reads records: the value's type is known there.
    @inlinable package subscript(name: UnsafeBufferPointer<UInt8>) -> Value? {
        for entry in entries where name.hasSameBytes(as: entry.name) { return entry.value }
        return nil
    }
}
