package import HarkWire

/// What is told of watches: that an event has not come, and that it has come again.
extension Engine {
    /// What is to be told of a watch now.
    package struct WatchDue: Sendable, Equatable {
        package let key: WatchKey
        /// Where it is recorded.
        package let scope: Scope
        /// The name of the event that tells it.
        package let event: String
    }

    /// The watch of which there is something to tell next.
    package struct NextWatch: Sendable, Equatable {
        package let key: WatchKey
        /// By the time of watches.
        package let at: Timestamp
        /// How long it is until then.
        package let milliseconds: Int64
    }

    /// - Parameters:
    ///   - running: how long the machine has run, in milliseconds.
    ///   - refused: those that are not to be looked at.
    package func earliestWatch(running: Int64, except refused: Set<WatchKey>) -> NextWatch? {
        guard let time = watches.time else { return nil }
        var earliest: (at: Timestamp, key: WatchKey)?
        for watch in watches.all {
            guard let at = watch.wakesAt, at < earliest?.at ?? .latest, !refused.contains(watch.key) else { continue }
            earliest = (at, watch.key)
        }
        return earliest.map { NextWatch(key: $0.key, at: $0.at, milliseconds: time.wait(until: $0.at, running)) }
    }

    /// The time of watches; nil until the daemon has told.
    package var watchTime: Timestamp? { watches.time?.now(watches.running) }

    /// Until when the event of a watch may stay away, by the machine's clock; nil while it is missed.
    package func due(of watch: Watch, now: Timestamp) -> Timestamp? {
        guard watch.state.missedAt == nil, let time = watchTime else { return nil }
        return now.adding(milliseconds: watch.dueAt.milliseconds - time.milliseconds)
    }

    /// What is to be told now, at most so many at a time that nothing else waits long.
    ///
    /// - Parameter refused: those that are not to be looked at.
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

    /// What came of telling.
    package struct WatchTold: Sendable, Equatable {
        package let event: String
        /// For how long it could have been told already, in milliseconds: the daemon did not run, or the machine slept.
        package let late: Int64
    }

    /// Records what is to be told of a watch, as its user's event.
    ///
    /// - Returns: nil if there is nothing to tell any more.
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

    /// Records an event of the daemon's own. An alarm must come about whatever stands in the way of its user's events.
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
            // There are as many open sessions as may be: in one of its own, which ends with it.
            let session = beginSessionAside(scope, userId: nil, source: source, now: now, into: &changes)
            _ = append(
                .event, of: session, name: event, properties: properties, source: source,
                id: timestamp == nil ? nil : identifiers.next(at: now), at: timestamp ?? now, into: &changes)
            endSessionAside(session, source: source, now: now, into: &changes)
        }
    }

    /// Takes a look at the clocks; where the clock was set, what is counted from is shifted along.
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

/// Spans of time as properties tell them.
private enum WatchNumber {
    static func seconds(_ milliseconds: Int64) -> PropertyValue {
        milliseconds % 1_000 == 0 ? .integer(milliseconds / 1_000) : .double(Double(milliseconds) / 1_000)
    }
}
