internal import HarkWire

/// All watches there are. They are few, and each may fall due, so all are at hand once one was needed.
package struct WatchBook: Sendable {
    /// Whether those of the store were brought in.
    package private(set) var isLoaded = false
    private var watches: [UInt32: [ExactName: Watch]] = [:]
    /// The ids of those that wait for an event.
    private var waiting: [UInt32: [ExactName: [ExactName]]] = [:]
    /// What has come since the changes were last handed to the store.
    private var touched: Set<WatchKey> = []
    package private(set) var count = 0
    /// By which the hours of those are meant that have any.
    private var zone = LocalZone.utc
    /// By which they are judged; nil until the daemon has told.
    var time: WatchTime?
    /// The same as the store has it: what was counted from goes with it.
    private var storedTime: WatchTime?
    private var handedTime: WatchTime?
    /// How long the machine had run when that was last looked at, in milliseconds.
    var running: Int64 = 0

    init() {}

    /// The daemon begins: what is in the store was counted by the clock.
    mutating func begin(_ time: WatchTime, _ zone: LocalZone) {
        guard self.time == nil else { return }
        self.zone = zone
        self.time = time
        storedTime = time
        handedTime = time
    }

    /// With what was set from outside, and nothing else.
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

    /// Some of a uid, or of everybody, in the order of uids and ids.
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

    /// Whether recording an event of this name needs nothing from here. This is asked of every event.
    @inline(__always)
    func isIndifferent(to event: String, of uid: UInt32) -> Bool {
        isLoaded && (count == 0 || !isAwaited(event, of: uid))
    }

    func isAwaited(_ event: String, of uid: UInt32) -> Bool { waiting[uid]?[ExactName(event)] != nil }

    /// Those that wait for an event.
    func waiting(for event: String, of uid: UInt32) -> [Watch] {
        guard count > 0, let ids = waiting[uid]?[ExactName(event)] else { return [] }
        return ids.compactMap { watches[uid]?[$0] }
    }

    /// Brings in all the store has.
    mutating func admit(_ stored: [Watch]) {
        guard !isLoaded else { return }
        isLoaded = true
        for watch in stored { put(watch) }
    }

    /// Keeps one, new or in the place of another.
    mutating func put(_ watch: Watch) {
        remove(watch.key)
        var watch = watch
        watch.reckon(in: zone)
        watches[watch.key.uid, default: [:]][watch.key.id] = watch
        waiting[watch.key.uid, default: [:]][ExactName(watch.event), default: []].append(watch.key.id)
        count += 1
    }

    /// Keeps how it stands with one.
    mutating func put(_ state: WatchState, of key: WatchKey) {
        watches[key.uid]?[key.id]?.state = state
        watches[key.uid]?[key.id]?.reckon(in: zone)
    }

    /// Reckons anew until when those may stay away that go by the clock on the wall: its zone may be another by now.
    mutating func reckon() {
        for watch in all where watch.hours != nil { watches[watch.key.uid]?[watch.key.id]?.reckon(in: zone) }
    }

    /// The same; it goes to the store with what is decided next, once however often it changes until then.
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

    /// The changes so far go to the store.
    ///
    /// - Returns: what has come until then.
    mutating func handOver() -> [Watch] {
        handedTime = time
        defer { touched = [] }
        return touched.compactMap { self[$0] }
    }

    mutating func settle() { storedTime = handedTime }
}

/// What the store is to keep of watches, or to forget.
package enum WatchRow: FamilyRow {
    case put(Watch)
    case remove(WatchKey)
    case clear(Selection)
}
