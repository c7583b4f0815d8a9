/// A bounded cache of values from the store; the least recently used entry is dropped to make room.
///
/// An entry is admitted on first use, as the store has it. It is pinned while the store lacks its newest changes (a
/// fresh read would be out of date) and while a caller holds it. Only unpinned entries count against the capacity, so
/// pinned entries never crowd them out. A command therefore finds every entry that it has used (`use`) or had admitted.
/// Every operation on one entry takes constant time.
package struct Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: Key
        var value: Value
        var weight: Int
        /// The number of changes that the store has not committed yet.
        var unsettled = 0
        var holds = 0
        /// Neighbours in the linked list of evictable entries; `nobody` at its ends and for pinned entries.
        var newer = Cache.nobody
        var older = Cache.nobody

        var mayGo: Bool { unsettled == 0 && holds == 0 }
    }

    private static var nobody: Int { -1 }

    private let capacity: Int
    private let weightCapacity: Int
    private let least: Int
    private var entries: [Entry] = []
    private var places: [Key: Int] = [:]
    /// The index of the entry used last. It is often needed next, and is then found without hashing.
    private var latest = 0
    private var newest = Cache.nobody
    private var oldest = Cache.nobody
    /// The number of evictable entries, and their total weight.
    private var droppable = 0
    private var droppableWeight = 0
    /// The keys changed since the last `handOver`, once per change.
    private var touched: [Key] = []
    /// The keys handed to the store and not yet committed.
    private var handedOver: [Key] = []

    /// - Parameters:
    ///   - capacity: the greatest number of evictable entries.
    ///   - weightCapacity: their greatest total weight.
    ///   - least: entries kept regardless of their weight, because one command may need that many at a time.
    package init(capacity: Int, weightCapacity: Int = .max, least: Int = 1) {
        self.capacity = capacity
        self.weightCapacity = weightCapacity
        self.least = least
    }

    package var count: Int { entries.count }

    package var keys: [Key] { entries.map(\.key) }

    package var values: some Sequence<Value> { entries.lazy.map(\.value) }

    package var all: some Sequence<(key: Key, value: Value)> { entries.lazy.map { (key: $0.key, value: $0.value) } }

    /// Reads an entry without marking it as used.
    package subscript(key: Key) -> Value? { place(of: key).map { entries[$0].value } }

    package func contains(_ key: Key) -> Bool { place(of: key) != nil }

    package func isUnsettled(_ key: Key) -> Bool { place(of: key).map { entries[$0].unsettled > 0 } ?? false }

    private func place(of key: Key) -> Int? {
        latest < entries.count && entries[latest].key == key ? latest : places[key]
    }

    /// Marks an entry as most recently used.
    ///
    /// - Returns: whether the entry exists.
    package mutating func use(_ key: Key) -> Bool {
        guard let place = place(of: key) else { return false }
        latest = place
        if entries[place].mayGo, place != newest {
            unlink(place)
            link(place)
        }
        return true
    }

    /// Evicts the least recently used entry if an entry of this weight does not fit. Callers repeat this until it
    /// returns nil, then admit.
    package mutating func dropForRoom(of weight: Int = 0) -> (key: Key, value: Value)? {
        let isFull = droppable >= capacity || (droppable >= least && droppableWeight > weightCapacity - weight)
        return isFull && oldest != Cache.nobody ? remove(at: oldest) : nil
    }

    /// Adds an entry as the store has it, after making room, unless the key already has one.
    package mutating func admit(_ key: Key, _ value: Value, weight: Int = 0) {
        guard places[key] == nil else { return }
        while dropForRoom(of: weight) != nil {}
        places[key] = entries.count
        entries.append(Entry(key: key, value: value, weight: weight))
        link(entries.count - 1)
    }

    /// Changes an existing entry, and pins it until the store has the change (`settle`).
    package mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
        // Every command declares its needs before it decides, so the entry is here. If a command forgot to, its row would be
        // stored all the same and the next reader would load it: no reason to crash a daemon.
        guard let place = place(of: key) else { return assertionFailure(Unasked.message) }
        body(&entries[place].value)
        if entries[place].mayGo { unlink(place) }
        entries[place].unsettled += 1
        touched.append(key)
    }

    /// Changes an entry in a way that the store need not store.
    package mutating func adjust(_ key: Key, _ body: (inout Value) -> Void) {
        if let place = place(of: key) { body(&entries[place].value) }
    }

    package mutating func setWeight(_ weight: Int, of key: Key) {
        if let place = place(of: key) { addWeight(weight - entries[place].weight, at: place) }
    }

    package mutating func addWeight(_ more: Int, to key: Key) {
        if let place = place(of: key) { addWeight(more, at: place) }
    }

    private mutating func addWeight(_ more: Int, at place: Int) {
        entries[place].weight += more
        if entries[place].mayGo { droppableWeight += more }
    }

    /// Pins an entry until `letGo` has been called as often.
    package mutating func hold(_ key: Key) {
        guard let place = place(of: key) else { return }
        if entries[place].mayGo { unlink(place) }
        entries[place].holds += 1
    }

    package mutating func letGo(_ key: Key) {
        guard let place = place(of: key), entries[place].holds > 0 else { return }
        entries[place].holds -= 1
        if entries[place].mayGo { link(place) }
    }

    /// Marks the changes so far as handed to the store.
    ///
    /// - Returns: the changed keys, once per change.
    @discardableResult
    package mutating func handOver() -> [Key] {
        defer { touched.removeAll() }
        handedOver += touched
        return touched
    }

    /// Marks the changes handed over as committed.
    ///
    /// - Returns: the keys that have no uncommitted changes left.
    @discardableResult
    package mutating func settle() -> [Key] {
        let keys = handedOver
        handedOver = []
        return keys.filter { settle($0) }
    }

    private mutating func settle(_ key: Key) -> Bool {
        guard let place = place(of: key), entries[place].unsettled > 0 else { return false }
        entries[place].unsettled -= 1
        if entries[place].mayGo { link(place) }
        return entries[place].unsettled == 0
    }

    /// Drops the evictable entries that match.
    package mutating func drop(where isMeant: (Key, Value) -> Bool) {
        for key in entries.filter({ $0.mayGo && isMeant($0.key, $0.value) }).map(\.key) {
            if let place = place(of: key) { _ = remove(at: place) }
        }
    }

    package mutating func removeAll() {
        self = Cache(capacity: capacity, weightCapacity: weightCapacity, least: least)
    }

    /// Puts an evictable entry at the newest end of the list.
    private mutating func link(_ place: Int) {
        entries[place].older = newest
        entries[place].newer = Cache.nobody
        if newest != Cache.nobody { entries[newest].newer = place } else { oldest = place }
        newest = place
        droppable += 1
        droppableWeight += entries[place].weight
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (entries[place].newer, entries[place].older)
        if newer != Cache.nobody { entries[newer].older = older } else { newest = older }
        if older != Cache.nobody { entries[older].newer = newer } else { oldest = newer }
        entries[place].newer = Cache.nobody
        entries[place].older = Cache.nobody
        droppable -= 1
        droppableWeight -= entries[place].weight
    }

    /// Removes an evictable entry. The last entry moves into its place, so that the array has no gaps.
    private mutating func remove(at place: Int) -> (key: Key, value: Value) {
        unlink(place)
        let last = entries.count - 1
        entries.swapAt(place, last)
        let entry = entries.removeLast()
        places[entry.key] = nil
        guard place != last else { return (entry.key, entry.value) }
        let moved = entries[place]
        places[moved.key] = place
        if moved.mayGo {
            if moved.newer != Cache.nobody { entries[moved.newer].older = place } else { newest = place }
            if moved.older != Cache.nobody { entries[moved.older].newer = place } else { oldest = place }
        }
        return (entry.key, entry.value)
    }
}

/// Why a debug build ends when a command changes an entry that is not loaded. Otherwise nothing would change, and the
/// stored value would be overwritten.
enum Unasked {
    static var message: String { "a command changes what it did not ask for (Need)" }
}
