package import HarkWire

/// A session and its events that the store has lost and another copy has kept.
package struct FoundSession: Sendable {
    package struct Event: Sendable {
        package let sequence: UInt64
        package let id: Identifier
        package let name: String
        package let at: Timestamp
        package let source: Source
        package let properties: Properties

        package init(
            sequence: UInt64, id: Identifier, name: String, at: Timestamp, source: Source, properties: Properties
        ) {
            (self.sequence, self.id, self.name, self.at) = (sequence, id, name, at)
            (self.source, self.properties) = (source, properties)
        }
    }

    /// Has row 0 if it needs a new row.
    package let session: Session
    /// Whether the store has also lost the session itself.
    package let isLost: Bool
    /// Sorted by sequence.
    package let events: [Event]

    /// Nil if the session breaks a rule.
    package init?(_ session: Session, isLost: Bool, events: [Event]) {
        let identity = session.identity
        guard (try? Limits.check(userId: identity.userId)) != nil, (try? Limits.check(app: identity.scope.app)) != nil
        else { return nil }
        (self.session, self.isLost, self.events) = (session, isLost, events)
    }
}

/// Records to put back at their old place in the log.
package struct RestoredRecords: FamilyRow {
    package let records: [Record]

    package init(_ records: [Record]) { self.records = records }

    package var weight: Int { Changes.Row.baseWeight * max(1, records.count / 16) }
}

extension Engine {
    /// Makes sure that no new record gets a number up to this one.
    package mutating func passNumbers(upTo sequence: UInt64) { lastSequence = max(lastSequence, sequence) }

    /// Puts lost records back with their numbers, ids and times. This triggers nothing, and no stream reports them.
    package mutating func restore(_ found: FoundSession, into changes: inout Changes) {
        var session = found.session
        if found.isLost {
            if session.identity.row == 0 { session = session.inRow(lastSessionRow + 1) }
            lastSessionRow = max(lastSessionRow, session.identity.row)
            changes.rows.append(.session(.insert(session)))
        }
        let records = found.events.filter { $0.sequence <= lastSequence }.map { event in
            Record(
                sequence: event.sequence, id: event.id, at: event.at, kind: .event, session: session.identity,
                name: event.name, source: event.source, properties: event.properties)
        }
        if !records.isEmpty { keep(RestoredRecords(records), into: &changes) }
    }
}

extension Session {
    fileprivate func inRow(_ row: Int64) -> Session {
        let known = identity
        return Session(
            SessionIdentity(
                row: row, id: known.id, scope: known.scope, userId: known.userId, startedAt: known.startedAt,
                metadata: known.metadata, isImplicit: known.isImplicit),
            endedAt: endedAt)
    }
}
