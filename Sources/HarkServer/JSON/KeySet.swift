import HarkCore

/// Finds duplicate keys in an object, and whether its values need inspection too.
///
/// Few keys are compared with similar ones before them. Many use a hash table, whose hash is seeded per process, so
/// that nobody can prepare colliding keys.
enum KeySet {
    /// The first duplicate key; nil if all differ.
    ///
    /// - Parameter needsInspection: Set if some value needs inspection itself; meaningful only without a duplicate.
    static func duplicate(in members: JSONMembers, needsInspection: inout Bool) -> UnsafeBufferPointer<UInt8>? {
        var marks = KeyMarks()
        var hasMore = false
        for member in members {
            guard marks.hasRoom else {
                needsInspection = true
                return duplicateOfMany(in: members)
            }
            if marks.mark(member.key), isAmongFirst(marks.count &- 1, of: members, member.key) { return member.key }
            if member.value.needsInspection { hasMore = true }
        }
        needsInspection = hasMore
        return nil
    }

    // Not inlined, so that the loop over different keys has the registers for itself.
    @inline(never)
    private static func isAmongFirst(
        _ count: Int, of members: JSONMembers, _ key: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var rest = members
        for _ in 0..<count {
            if let member = rest.next(), member.key.hasSameBytes(as: key) { return true }
        }
        return false
    }

    private static func duplicateOfMany(in members: JSONMembers) -> UnsafeBufferPointer<UInt8>? {
        var size = 2 * KeyMarks.most
        let count = members.reduce(0) { count, _ in count + 1 }
        while size < 2 * count { size *= 2 }
        return withUnsafeTemporaryAllocation(of: Slot.self, capacity: size) { table in
            table.initialize(repeating: Slot())
            var rest = members
            while true {
                let index = rest.index
                guard let member = rest.next() else { return nil }
                let hash = hash(member.key)
                let mark = UInt32(truncatingIfNeeded: hash >> 32)
                var place = hash & (size - 1)
                while table[place].isTaken {
                    // The key itself, elsewhere in memory, is read only if the mark is equal.
                    if table[place].mark == mark {
                        let known = JSONNode(tape: members.tape, strings: members.strings, index: Int(table[place].key))
                        if known.text.hasSameBytes(as: member.key) { return member.key }
                    }
                    place = (place + 1) & (size - 1)
                }
                table[place] = Slot(mark: mark, key: UInt32(truncatingIfNeeded: index))
            }
        }
    }

    /// A key by its tape index, which has 32 bits; 0, which is no key's index, means that the slot is free.
    private struct Slot {
        /// The part of the hash that does not determine the slot.
        var mark: UInt32 = 0
        var key: UInt32 = 0

        var isTaken: Bool { key != 0 }
    }

    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        return hasher.finalize()
    }
}

/// Marks the keys of an object, to find those worth comparing, as long as they are few.
struct KeyMarks {
    /// For more keys, a hash table is faster.
    static let most = 32

    private var marks = InlineArray<4, UInt64>(repeating: 0)
    private(set) var count = 0

    var hasRoom: Bool { count < KeyMarks.most }

    /// Adds a key.
    ///
    /// - Returns: Whether it may equal an earlier key.
    @inline(__always)
    mutating func mark(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        count &+= 1
        let looks = KeyMarks.looks(of: key)
        let (word, mark) = (Int(truncatingIfNeeded: looks &>> 6 & 3), 1 as UInt64 &<< looks)
        defer { marks[word] |= mark }
        return marks[word] & mark != 0
    }

    /// A cheap hash; eight bits of it are used.
    private static func looks(of key: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let start = key.baseAddress, key.count > 0 else { return 0 }
        return UInt64(key.count) &* 31 &+ UInt64(start[0]) &* 7 &+ UInt64(start[key.count &- 1])
    }
}
