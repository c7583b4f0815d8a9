/// Tells whether an object has a key twice.
///
/// Few keys are compared each with each. Many go through a hash table; the hash is seeded per process, so nobody can
/// prepare keys that collide.
enum KeySet {
    private static let few = 8

    /// The first key that was there before; nil if all differ.
    static func duplicate(in members: JSONMembers) -> UnsafeBufferPointer<UInt8>? {
        var seen = InlineArray<8, UnsafeBufferPointer<UInt8>>(repeating: UnsafeBufferPointer(start: nil, count: 0))
        var count = 0
        for member in members {
            guard count < few else { return duplicateOfMany(in: members) }
            for index in 0..<count where seen[index].isEqual(member.key) { return member.key }
            seen[count] = member.key
            count &+= 1
        }
        return nil
    }

    private static func duplicateOfMany(in members: JSONMembers) -> UnsafeBufferPointer<UInt8>? {
        var size = 4 * few
        let count = members.reduce(0) { count, _ in count + 1 }
        while size < 2 * count { size *= 2 }
        return withUnsafeTemporaryAllocation(of: Slot.self, capacity: size) { table in
            table.initialize(repeating: Slot())
            for member in members {
                let hash = hash(member.key)
                var place = hash & (size - 1)
                while let other = table[place].start {
                    let known = UnsafeBufferPointer(start: other, count: Int(table[place].count))
                    if known.isEqual(member.key) { return member.key }
                    place = (place + 1) & (size - 1)
                }
                table[place] = Slot(start: member.key.baseAddress, count: member.key.count)
            }
            return nil
        }
    }

    /// A key in place; no start means that the slot is free.
    private struct Slot {
        var start: UnsafePointer<UInt8>?
        var count = 0
    }

    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        return hasher.finalize()
    }
}
