package import HarkWire

/// Notices of watches: that an event has not come, and that it has come again.
extension Engine {
    /// A due notice of a watch.
    package struct WatchDue: Sendable, Equatable {
        package let key: WatchKey
        /// The scope in which it is recorded.
        package let scope: Scope
        /// The name of the event that reports it.
        package let event: String
    }

    /// The watch with the next notice.
    package struct NextWatch: Sendable, Equatable {
        package let key: WatchKey
        /// By the time of watches.
        package let at: Timestamp
        /// The milliseconds until then.
        package let milliseconds: Int64
    }

    /// - Parameters:
    ///   - running: how long the machine has run, in milliseconds.
    ///   - refused: the watches to skip.
    package func earliestWatch(running: Int64, except refused: Set<WatchKey>) -> NextWatch? {
        guard let time = watches.time else { return nil }
        var earliest: (at: Timestamp, key: WatchKey)?
        for watch in watches.all {
            guard let at = watch.wakesAt, at < earliest?.at ?? .latest, !refused.contains(watch.key) else { continue }
            earliest = (at, watch.key)
        }
        return earliest.map { NextWatch(key: $0.key, at: $0.at, milliseconds: time.wait(until: $0.at, running)) }
    }

    /// The time of watches; nil until the daemon has set it.
    package var watchTime: Timestamp? { watches.time?.now(watches.running) }

    /// Until when the event of a watch may stay away, by the machine's clock; nil while it is missed.
    package func due(of watch: Watch, now: Timestamp) -> Timestamp? {
        guard watch.state.missedAt == nil, let time = watchTime else { return nil }
        return now.adding(milliseconds: watch.dueAt.milliseconds - time.milliseconds)
    }

    /// The due notices, at most a limited number at a time, so that other work need not wait long.
    ///
    /// - Parameter refused: the watches to skip.
    package func dueWatches(except refused: Set<WatchKey>) -> [WatchDue] {
        guard let now = watchTime else { return [] }
        return Array(
            watches.all.lazy.filter { watch in
                watch.wakesAt.map { $0 <= now } ?? false && !refused.contains(watch.key)
            }.prefix(Engine.maxFired).map { watch in
                WatchDue(
                    key: watch.key, scope: watch.scope,
                    event: watch.state.missedAt == nil ? Engine.watchMissed : Engine.watchRecovered)
            })
    }

    /// The result of a notice.
    package struct WatchTold: Sendable, Equatable {
        package let event: String
        /// By how much it is late, in milliseconds: the daemon did not run, or the machine slept.
        package let late: Int64
    }

    /// Records the due notice of a watch, as its user's event.
    ///
    /// - Returns: nil if there is no notice any more.
    package mutating func tellOfWatch(
        _ key: WatchKey, source: Source, now: Timestamp, into changes: inout Changes
    ) -> WatchTold? {
        guard let watch = watches[key], let time = watchTime, let wakesAt = watch.wakesAt,
            wakesAt <= time
        else { return nil }
        var state = watch.state
        var properties = Properties([("watch", .string(key.id.text)), ("event", .string(watch.event))])
        properties.append("everySeconds", WatchNumber.seconds(watch.terms.every))
        if let between = watch.terms.between { properties.append("between", .string(between)) }
        if let days = watch.terms.days { properties.append("days", .string(days)) }
        if let app = watch.terms.app { properties.append("app", .string(app)) }
        if let userId = watch.terms.userId { properties.append("user", .string(userId)) }
        if let lastAt = state.lastAt { properties.append("lastAt", .string(lastAt.description)) }
        if let sequence = state.lastSequence { properties.append("lastSeq", .integer(Int64(clamping: sequence))) }
        let told: WatchTold
        if let missedAt = state.missedAt {
            told = WatchTold(event: Engine.watchRecovered, late: 0)
            let came = state.lastAt ?? now
            properties.append(
                "missedSeconds", WatchNumber.seconds(max(0, came.milliseconds - missedAt.milliseconds)))
            (state.missedAt, state.hasCome) = (nil, false)
        } else {
            let late = time.milliseconds - watch.dueAt.milliseconds
            told = WatchTold(event: Engine.watchMissed, late: late)
            properties.append("silentSeconds", WatchNumber.seconds(time.milliseconds - state.since.milliseconds))
            properties.append("lateSeconds", WatchNumber.seconds(late))
            state.missedAt = now
            state.misses += 1
        }
        watches.put(state, of: key)
        if let changed = watches[key] { keep(WatchRow.put(changed), into: &changes) }
        recordNotice(told.event, properties, in: watch.scope, source: source, now: now, into: &changes)
        return told
    }

    /// Records an event of the daemon's own. An alarm must be recorded even if its user's events cannot be.
    ///
    /// - Parameter timestamp: as of `record`.
    mutating func recordNotice(
        _ event: String, _ properties: Properties, in scope: Scope, timestamp: Timestamp? = nil, source: Source,
        now: Timestamp, into changes: inout Changes
    ) {
        do throws(WireError) {
            _ = try record(
                event, properties: properties, in: scope, isUnattended: true, timestamp: timestamp, source: source,
                now: now,
                into: &changes)
        } catch {
            // No further session may be opened: it gets one of its own, which ends with it.
            let session = beginSessionAside(scope, userId: nil, source: source, now: now, into: &changes)
            _ = append(
                .event, of: session, name: event, properties: properties, source: source,
                id: timestamp == nil ? nil : identifiers.next(at: now), at: timestamp ?? now, into: &changes)
            endSessionAside(session, source: source, now: now, into: &changes)
        }
    }

    /// Reads the clocks; if the clock was set, the starts of intervals are shifted along.
    package mutating func lookAtClocks(
        believed: Timestamp, running: Int64, lag: Int64, into changes: inout Changes
    ) {
        watches.running = running
        watches.reckon()
        guard let shift = watches.time?.look(believed: believed, running: running, lag: lag) else { return }
        for watch in watches.all {
            var state = watch.state
            state.since = shift(state.since)
            watches.put(state, of: watch.key)
            if let changed = watches[watch.key] { keep(WatchRow.put(changed), into: &changes) }
        }
    }
}

/// Spans of time in the form of properties.
private enum WatchNumber {
    static func seconds(_ milliseconds: Int64) -> PropertyValue {
        milliseconds % 1_000 == 0 ? .integer(milliseconds / 1_000) : .double(Double(milliseconds) / 1_000)
    }
}
