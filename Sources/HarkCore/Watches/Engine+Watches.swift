package import HarkWire

/// Commands for watches, and matching of events.
extension Engine {
    package static let watchMissed = "watch.missed"
    package static let watchRecovered = "watch.recovered"

    /// Adds a watch; replaces one with the same id. If both wait for the same events, the new one continues from the
    /// state of the old one, so a script may add it at each start.
    ///
    /// - Returns: the watch in its current state, and whether it replaced another.
    package mutating func addWatch(
        _ wanted: Watch, into changes: inout Changes
    ) throws(WireError) -> (watch: Watch, isReplacement: Bool) {
        try Limits.check(watchId: wanted.key.id.text)
        try Limits.check(watchedEvent: wanted.event)
        if let app = wanted.terms.app { try Limits.check(app: app) }
        try Limits.check(userId: wanted.terms.userId)
        let before = watches[wanted.key]
        if before == nil, watches.count(of: wanted.key.uid) >= Limits.watchesPerUser {
            throw WireError(
                .tooLarge,
                "this user has \(Limits.watchesPerUser) watches, which is the most; remove some (watch.remove)",
                path: "id")
        }
        if let hours = wanted.hours, wanted.terms.every / hours.perWeek > Watch.longest / 604_800_000 {
            throw WireError(
                .invalidParams, "at those hours and days it would be missed after more than ten years",
                path: "everySeconds")
        }
        try checkWeight(of: wanted)
        var watch = wanted
        if let before, before.waits(asOther: wanted) { watch.state = before.state }
        watches.put(watch)
        watch = watches[watch.key] ?? watch
        keep(WatchRow.put(watch), into: &changes)
        return (watch, before != nil)
    }

    /// Bounds the cost of recording an event.
    private func checkWeight(of watch: Watch) throws(WireError) {
        if let document = watch.condition?.condition.document {
            let bytes = document.packed.count
            guard bytes <= Limits.watchConditionBytes, document.isStorable else {
                throw WireError(
                    .tooLarge,
                    "the condition of a watch takes at most \(Limits.watchConditionBytes) bytes, and this one takes \(bytes) "
                        + "or is nested too deeply", path: "where")
            }
        }
        let others = watches.waiting(for: watch.event, of: watch.key.uid).filter { $0.key != watch.key }
        let weight = (others + [watch]).reduce(0) { $0 + ($1.condition?.condition.weight ?? 0) }
        guard weight > Limits.weightPerWatchedEvent else { return }
        throw WireError(
            .tooLarge,
            "the conditions of all watches for '\(watch.event)' would weigh \(weight), where "
                + "\(Limits.weightPerWatchedEvent) is the most: a comparison weighs 1, a search in a text 100",
            path: "where")
    }

    package mutating func removeWatch(_ key: WatchKey, into changes: inout Changes) throws(WireError) {
        guard watches[key] != nil else {
            throw WireError(.notFound, "there is no watch '\(key.id.text)' (watch.list lists them)", path: "id")
        }
        watches.remove(key)
        keep(WatchRow.remove(key), into: &changes)
    }

    /// Sets all watches as the store has them.
    package mutating func admit(watches stored: [Watch]) {
        let going = unsettledRemovals
        watches.admit(stored.filter { watch in !going.contains { $0.contains(watch) } })
    }

    /// Whether recording an event of this name needs the watches to be loaded, or their time.
    package func watches(need event: String, of uid: UInt32) -> Bool {
        !watches.isIndifferent(to: event, of: uid)
    }

    /// Sets how long the machine has run, in milliseconds.
    package mutating func setRunning(_ running: Int64) { watches.running = running }

    /// Sets the time by which watches fall due.
    package mutating func setWatchTime(_ time: WatchTime, in zone: LocalZone = .utc) { watches.begin(time, zone) }

    /// Updates the watches that match a new event, which is the last record of the changes.
    mutating func noteWatched(
        _ event: String, in session: SessionIdentity, now: Timestamp, into changes: inout Changes
    ) {
        guard watches.count > 0 else { return }
        let waiting = watches.waiting(for: event, of: session.scope.uid)
        guard !waiting.isEmpty, let record = changes.records.last, let time = watches.time else { return }
        // Collecting pays off for several watches and many properties; a few are faster to read again.
        let asked =
            waiting.count > 1 && record.properties.byteCount > 1 << 12
            ? record.withView { AskedProperties(of: $0, for: waiting.lazy.compactMap(\.condition)) }
            : nil
        for watch in waiting where record.withView({ watch.isMeant($0, of: session, asked: asked) }) {
            var state = watch.state
            state.since = time.now(watches.running)
            state.lastAt = now
            state.lastSequence = record.sequence
            state.hasCome = state.missedAt != nil
            watches.touch(state, of: watch.key)
        }
    }

    /// Removes watches in a clear of all data; a clear of one user removes the watches for that user's events.
    mutating func clearWatches(_ selection: Selection, into changes: inout Changes) {
        if case .session = selection.target { return }
        for watch in watches.all where selection.contains(watch) { watches.remove(watch.key) }
        keep(WatchRow.clear(selection), into: &changes)
    }
}

extension Selection {
    func contains(_ watch: Watch) -> Bool {
        guard uid == nil || uid == watch.key.uid else { return false }
        return switch target {
        case .all: true
        case .user(let userId): userId != nil && userId.hasSameBytes(as: watch.terms.userId)
        case .session: false
        }
    }
}
