import HarkCore

/// Tells whether an object has a key twice, and whether there is more to look at in it than its keys.
///
/// Few keys are compared with those before them that look alike. Many go through a hash table; the hash is seeded per
/// process, so nobody can prepare keys that collide.
enum KeySet {
    /// The first key that was there before; nil if all differ.
    ///
    /// - Parameter needsInspection: set to whether a value is to be inspected itself, as far as there is no such key.
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

    // Apart, so that the loop over keys that differ has the registers for itself.
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
                    // What lies elsewhere in memory is fetched only for a key that looks the same.
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

    /// A key by its place on the tape, whose indices are of 32 bits; 0, where no key is, means that the slot is free.
    private struct Slot {
        /// Of the hash what says nothing about the slot.
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

/// Tells of the keys of an object which ones are worth comparing, as long as they are few.
struct KeyMarks {
    /// For more, a hash table takes less time.
    static let most = 32

    private var marks = InlineArray<4, UInt64>(repeating: 0)
    private(set) var count = 0

    var hasRoom: Bool { count < KeyMarks.most }

    /// Takes a key in.
    ///
    /// - Returns: whether it may be the same as one before.
    @inline(__always)
    mutating func mark(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        count &+= 1
        let looks = KeyMarks.looks(of: key)
        let (word, mark) = (Int(truncatingIfNeeded: looks &>> 6 & 3), 1 as UInt64 &<< looks)
        defer { marks[word] |= mark }
        return marks[word] & mark != 0
    }

    /// A number that equal keys share and most others do not, of which eight bits count.
    private static func looks(of key: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let start = key.baseAddress, key.count > 0 else { return 0 }
        return UInt64(key.count) &* 31 &+ UInt64(start[0]) &* 7 &+ UInt64(start[key.count &- 1])
    }
}
