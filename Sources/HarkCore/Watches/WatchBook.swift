internal import HarkWire

/// All watches. They are few and each may fall due, so all of them are in memory once one was needed.
package struct WatchBook: Sendable {
    /// Whether the store's watches were loaded.
    package private(set) var isLoaded = false
    private var watches: [UInt32: [ExactName: Watch]] = [:]
    /// The ids of the watches by awaited event.
    private var waiting: [UInt32: [ExactName: [ExactName]]] = [:]
    /// The watches whose event has come since the last `handOver`.
    private var touched: Set<WatchKey> = []
    package private(set) var count = 0
    /// The time zone for watches with hours.
    private var zone = LocalZone.utc
    /// The time by which watches fall due; nil until the daemon has set it.
    var time: WatchTime?
    /// The time that goes with the state in the store.
    private var storedTime: WatchTime?
    private var handedTime: WatchTime?
    /// How long the machine has run at the last reading, in milliseconds.
    var running: Int64 = 0

    init() {}

    /// Sets the initial time at the start of the daemon: intervals in the store were counted by the clock.
    mutating func begin(_ time: WatchTime, _ zone: LocalZone) {
        guard self.time == nil else { return }
        self.zone = zone
        self.time = time
        storedTime = time
        handedTime = time
    }

    /// A book with the settings from outside, but without watches.
    var restarted: WatchBook {
        var book = WatchBook()
        book.zone = zone
        book.time = storedTime
        book.storedTime = storedTime
        book.running = running
        return book
    }

    package subscript(key: WatchKey) -> Watch? { watches[key.uid]?[key.id] }

    package var all: [Watch] { watches.values.flatMap(\.values) }

    /// A page of the watches of a uid (nil for all), sorted by uid and id.
    package func page(of uid: UInt32?, after key: WatchKey?, limit: Int) -> [Watch] {
        var found: [Watch] = []
        for uid in uid.map({ [$0] }) ?? watches.keys.sorted() where uid >= key?.uid ?? 0 {
            let after = key?.uid == uid ? key?.id : nil
            let rest = (watches[uid] ?? [:]).values.filter { watch in after.map { watch.key.id > $0 } ?? true }
            found += rest.sorted { $0.key.id < $1.key.id }.prefix(limit - found.count)
            if found.count == limit { break }
        }
        return found
    }

    func count(of uid: UInt32) -> Int { watches[uid]?.count ?? 0 }

    /// Whether the watches are loaded and none waits for events of this name. Called for every event, so it must be cheap.
    @inline(__always)
    func isIndifferent(to event: String, of uid: UInt32) -> Bool {
        isLoaded && (count == 0 || !isAwaited(event, of: uid))
    }

    func isAwaited(_ event: String, of uid: UInt32) -> Bool { waiting[uid]?[ExactName(event)] != nil }

    /// The watches that wait for an event.
    func waiting(for event: String, of uid: UInt32) -> [Watch] {
        guard count > 0, let ids = waiting[uid]?[ExactName(event)] else { return [] }
        return ids.compactMap { watches[uid]?[$0] }
    }

    /// Sets all watches as the store has them.
    mutating func admit(_ stored: [Watch]) {
        guard !isLoaded else { return }
        isLoaded = true
        for watch in stored { put(watch) }
    }

    /// Stores a watch; replaces one with the same key.
    mutating func put(_ watch: Watch) {
        assert(isLoaded, Unasked.message)
        remove(watch.key)
        var watch = watch
        watch.reckon(in: zone)
        watches[watch.key.uid, default: [:]][watch.key.id] = watch
        waiting[watch.key.uid, default: [:]][ExactName(watch.event), default: []].append(watch.key.id)
        count += 1
    }

    /// Sets the state of a watch.
    mutating func put(_ state: WatchState, of key: WatchKey) {
        watches[key.uid]?[key.id]?.state = state
        watches[key.uid]?[key.id]?.reckon(in: zone)
    }

    /// Computes due times anew for watches with hours, because the time zone may have changed.
    mutating func reckon() {
        for watch in all where watch.hours != nil { watches[watch.key.uid]?[watch.key.id]?.reckon(in: zone) }
    }

    /// Sets the state of a watch, to be stored with the next changes, once however often it changes until then.
    mutating func touch(_ state: WatchState, of key: WatchKey) {
        put(state, of: key)
        touched.insert(key)
    }

    mutating func remove(_ key: WatchKey) {
        guard let watch = watches[key.uid]?.removeValue(forKey: key.id) else { return }
        touched.remove(key)
        count -= 1
        let event = ExactName(watch.event)
        waiting[key.uid]?[event]?.removeAll { $0 == key.id }
        if waiting[key.uid]?[event]?.isEmpty == true { waiting[key.uid]?[event] = nil }
    }

    /// Marks the changes so far as handed to the store.
    ///
    /// - Returns: the watches whose event has come since the last call.
    mutating func handOver() -> [Watch] {
        handedTime = time
        defer { touched = [] }
        return touched.compactMap { self[$0] }
    }

    mutating func settle() { storedTime = handedTime }
}

/// A change in the store to watches.
package enum WatchRow: FamilyRow {
    case put(Watch)
    case remove(WatchKey)
    case clear(Selection)
}
