/// What is at hand of something the store holds more of: what was used longest ago is dropped for what is needed now.
///
/// An entry is admitted on first touch, as the store has it. It stays while the store does not know of its newest changes
/// (what comes from there would be older), and while somebody holds it. The others are bounded, and those apart: however
/// many must stay, the newest of the others are at hand. So a command that has said what it uses (`use`), or had it
/// admitted, finds all of it. Everything takes the same time however much there is.
package struct Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: Key
        var value: Value
        var weight: Int
        /// How many of its changes the store has not committed yet.
        var unsettled = 0
        var holds = 0
        /// The neighbours in the row of those that may go; `nobody` at its ends, and for what must stay.
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
    /// The place of what was needed last: it is often what is needed next, and found without a hash.
    private var latest = 0
    private var newest = Cache.nobody
    private var oldest = Cache.nobody
    /// How many may go, and what they weigh together.
    private var droppable = 0
    private var droppableWeight = 0
    /// The keys of what was changed since the changes were last handed to the store, once for each change.
    private var touched: [Key] = []
    /// Those of the changes that the store has and has not taken yet.
    private var handedOver: [Key] = []

    /// - Parameters:
    ///   - capacity: how many entries are kept that may go.
    ///   - weightCapacity: how much they may weigh together.
    ///   - least: so many are kept however much they weigh, as a command may need as many at a time.
    package init(capacity: Int, weightCapacity: Int = .max, least: Int = 1) {
        self.capacity = capacity
        self.weightCapacity = weightCapacity
        self.least = least
    }

    package var count: Int { entries.count }

    package var keys: [Key] { entries.map(\.key) }

    package var values: some Sequence<Value> { entries.lazy.map(\.value) }

    package var all: some Sequence<(key: Key, value: Value)> { entries.lazy.map { (key: $0.key, value: $0.value) } }

    /// Looks without using it.
    package subscript(key: Key) -> Value? { place(of: key).map { entries[$0].value } }

    package func contains(_ key: Key) -> Bool { place(of: key) != nil }

    package func isUnsettled(_ key: Key) -> Bool { place(of: key).map { entries[$0].unsettled > 0 } ?? false }

    private func place(of key: Key) -> Int? {
        latest < entries.count && entries[latest].key == key ? latest : places[key]
    }

    /// Notes that an entry is needed now.
    ///
    /// - Returns: whether there is one.
    package mutating func use(_ key: Key) -> Bool {
        guard let place = place(of: key) else { return false }
        latest = place
        if entries[place].mayGo, place != newest {
            unlink(place)
            link(place)
        }
        return true
    }

    /// Takes out what was used longest ago, while there is no room for another of this weight. Whoever admits asks before,
    /// until there is nothing more to take out.
    package mutating func dropForRoom(of weight: Int = 0) -> (key: Key, value: Value)? {
        let isFull = droppable >= capacity || (droppable >= least && droppableWeight > weightCapacity - weight)
        return isFull && oldest != Cache.nobody ? remove(at: oldest) : nil
    }

    /// Brings in what the store knows, after room was made for it, unless there is an entry already.
    package mutating func admit(_ key: Key, _ value: Value, weight: Int = 0) {
        guard places[key] == nil else { return }
        while dropForRoom(of: weight) != nil {}
        places[key] = entries.count
        entries.append(Entry(key: key, value: value, weight: weight))
        link(entries.count - 1)
    }

    /// Changes an entry there is, and has it stay until the store knows (`settle`).
    package mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
        // Every command says what it needs before it decides, so it is here. If a command ever forgot to, the row it has
        // decided would be stored all the same, and the next who asks reads it: no reason for a daemon to end.
        guard let place = place(of: key) else { return assertionFailure("something is changed that was not admitted") }
        body(&entries[place].value)
        if entries[place].mayGo { unlink(place) }
        entries[place].unsettled += 1
        touched.append(key)
    }

    /// Changes what the store need not know of.
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

    /// Has an entry stay until it was let go of as often.
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

    /// The changes so far go to the store.
    ///
    /// - Returns: what was changed, once for each change.
    @discardableResult
    package mutating func handOver() -> [Key] {
        defer { touched.removeAll() }
        handedOver += touched
        return touched
    }

    /// The store has taken what was handed over.
    ///
    /// - Returns: what it knows all changes of by that.
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

    /// Drops what may go, of what is meant.
    package mutating func drop(where isMeant: (Key, Value) -> Bool) {
        for key in entries.filter({ $0.mayGo && isMeant($0.key, $0.value) }).map(\.key) {
            if let place = place(of: key) { _ = remove(at: place) }
        }
    }

    package mutating func removeAll() {
        self = Cache(capacity: capacity, weightCapacity: weightCapacity, least: least)
    }

    /// Puts an entry that may go at the newest end of the row.
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

    /// Takes an entry out that may go. The last one moves to its place, so that there are no gaps.
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
