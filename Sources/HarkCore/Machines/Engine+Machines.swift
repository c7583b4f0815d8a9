package import HarkWire

/// A batch of records from a machine, with the local place of each of its sessions.
package struct MachineBatch: Sendable {
    package enum Place: Sendable {
        /// The session exists here already.
        case known(SessionIdentity)
        /// The session must be created with this id, which is free.
        case new(MachineSession, as: Identifier)
        /// None of the session's records can be taken.
        case refused(WireError)
    }

    package let machine: MachineIdentity
    /// The places of sessions by their ids on the machine.
    package var places: [Identifier: Place] = [:]
    /// The sessions to create, in order.
    package var new: [Identifier] = []
    /// Known sessions that have ended according to the machine.
    package var ended: [(session: SessionIdentity, at: Timestamp)] = []
    package var records: [MachineRecord] = []
    /// The greatest size of a record's properties, or a session's metadata, in bytes.
    package let maxBytes: Int

    package init(of machine: MachineIdentity, maxBytes: Int) {
        self.machine = machine
        self.maxBytes = maxBytes
    }
}

extension Engine {
    /// Adds a machine to the store.
    ///
    /// - Parameter row: a row above those of all known machines.
    package mutating func register(
        machine name: String, group: String?, log: Identifier, row: Int64, into changes: inout Changes
    ) throws(WireError) -> MachineIdentity {
        guard MachineIdentity.rows.contains(row), row <= Int64(Limits.machines) else {
            throw WireError(.tooLarge, "this hub has taken over \(Limits.machines) machines, and takes no more")
        }
        let machine = MachineIdentity(row: row, name: name, group: group, log: log)
        keep(MachineRow.insert(machine), into: &changes)
        return machine
    }

    /// Takes over a machine's records in the given order. Each keeps its id, time and source, and gets a number of this
    /// store. A record that breaks a rule is left out.
    ///
    /// Nothing is triggered, and no session becomes current. Retention applies to sessions as they come.
    package mutating func take(
        _ batch: MachineBatch, now: Timestamp, into changes: inout Changes
    ) -> (taken: Taken, sessions: [Identifier: SessionIdentity]) {
        var taken = Taken()
        var sessions: [Identifier: SessionIdentity] = [:]
        var refusals: [Identifier: WireError] = [:]
        for id in batch.new {
            guard case .new(let session, let own) = batch.places[id] else { continue }
            do throws(WireError) {
                sessions[id] = try begin(session, as: own, of: batch, now: now, into: &changes)
            } catch {
                refusals[id] = error
                taken.refusedSessions.append(Taken.RefusedSession(id: id, reason: error))
            }
        }
        for (id, place) in batch.places {
            switch place {
            case .known(let session): sessions[id] = session
            case .refused(let error): refusals[id] = error
            case .new: continue
            }
        }
        for (session, at) in batch.ended { end(session, at: at, into: &changes) }
        for record in batch.records {
            do throws(WireError) {
                guard let session = sessions[record.session] else {
                    throw refusals[record.session] ?? WireError(.notFound, "nothing is known of its session")
                }
                try check(record, of: batch)
                if record.kind == .presentation {
                    try takePresentation(record, of: session, sessions, into: &changes)
                }
                take(record, of: session, into: &changes)
                taken.taken += 1
            } catch {
                taken.refused.append(Taken.Refused(origin: record.origin, reason: error))
            }
        }
        return (taken, sessions)
    }

    private mutating func begin(
        _ session: MachineSession, as id: Identifier, of batch: MachineBatch, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> SessionIdentity {
        try Limits.check(userId: session.userId)
        try Limits.check(app: session.app)
        try session.metadata.check(maxBytes: batch.maxBytes, "the metadata of a session")
        lastSessionRow += 1
        let identity = SessionIdentity(
            row: lastSessionRow, id: id, scope: Scope(uid: batch.machine.uid, app: session.app), userId: session.userId,
            startedAt: session.startedAt, metadata: session.metadata, isImplicit: session.isImplicit,
            isForLogs: session.isForLogs, machine: batch.machine, machineUID: session.uid,
            machineSession: id == session.id ? nil : session.id)
        // No session ends before it starts: retention finds old ones by their start.
        let endedAt = session.endedAt.map { max($0, session.startedAt) }
        changes.rows.append(.session(.insert(Session(identity, endedAt: endedAt))))
        retireSessions(of: identity, now: now, into: &changes)
        return identity
    }

    private func end(_ session: SessionIdentity, at: Timestamp, into changes: inout Changes) {
        changes.rows.append(.session(.end(row: session.row, at: max(at, session.startedAt))))
    }

    private mutating func take(_ record: MachineRecord, of session: SessionIdentity, into changes: inout Changes) {
        if record.kind == .sessionEnded { end(session, at: record.at, into: &changes) }
        _ = append(
            record.kind, of: session, name: record.name, properties: record.properties, source: record.source,
            id: record.id, at: record.at, origin: record.origin, into: &changes)
    }

    /// Adds the machine's presentation to the presentations here.
    private mutating func takePresentation(
        _ record: MachineRecord, of session: SessionIdentity, _ sessions: [Identifier: SessionIdentity],
        into changes: inout Changes
    ) throws(WireError) {
        let uid = session.scope.uid
        guard let presentation = Presentation(record: record.properties, named: record.name, uid: uid) else {
            throw WireError(.invalidParams, "what became of a survey cannot be read")
        }
        try takeOverPresentation(
            presentation, uid: uid, of: session.id, renamed: sessions.mapValues(\.id), into: &changes)
    }

    /// - Throws: the rule that the record breaks; rules for clients apply to machines too.
    private func check(_ record: MachineRecord, of batch: MachineBatch) throws(WireError) {
        guard record.origin > 0, record.origin <= Record.largestOrigin else {
            throw WireError(.invalidParams, "a record's number is from 1 to \(Record.largestOrigin)", path: "seq")
        }
        switch record.kind {
        case .event:
            try Limits.check(eventName: record.name)
        case .log:
            guard LogEntry.isOne(named: record.name, record.properties) else {
                throw WireError(.invalidParams, "it is no log entry: a level, a message and a user id make one")
            }
        default:
            try Limits.check(recordName: record.name)
        }
        try record.properties.check(maxBytes: batch.maxBytes, "the properties of a record")
    }
}

extension Properties {
    /// - Throws: the rule that these bytes, packed by another program, break.
    fileprivate func check(maxBytes: Int, _ what: String) throws(WireError) {
        guard bytes.count <= maxBytes else {
            throw WireError(.tooLarge, "\(what) have at most \(maxBytes) bytes, these have \(bytes.count)")
        }
        guard isWhole else {
            throw WireError(.invalidParams, "\(what) cannot be read, or have a key of too many bytes")
        }
    }
}
