import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Takes over what machines have recorded, into the store of this hub.
///
/// One request after the other up to its decision, and together with imports: both make sessions whose ids come from
/// elsewhere. The commits are not waited for.
@DaemonActor
final class MachineRecords: Desk {
    // Made by the daemon, which lives as long as the process does and is the only way to it: nobody comes here without one.
    private unowned let daemon: Daemon
    let ledger: Ledger
    private var machines = Cache<MachineKey, MachineIdentity>(capacity: 10_000)
    private var sessions = Cache<SessionKey, SessionIdentity>(capacity: 10_000, weightCapacity: 16 << 20)
    /// The records of sessions lately asked about, those that are not on disk yet among them.
    private var records = Cache<SessionKey, Set<Identifier>>(capacity: 16)
    /// Grows whenever what was read before is no longer true.
    private var age = 0
    /// `Ledger.restarts` when what is at hand was looked up.
    private var restarts = 0
    /// Commits to come with sessions that are new.
    private var commitsWithSessions = 0
    /// Whether there are machines: then their uids are nobody else's.
    private(set) var isHub = false

    private struct MachineKey: Hashable {
        let name: ExactName
        let group: ExactName?
        let log: Identifier
    }

    private struct SessionKey: Hashable {
        let machine: Int64
        let session: Identifier
    }

    init(daemon: Daemon) {
        self.daemon = daemon
        ledger = daemon.ledger
    }

    func begin() throws(WireError) {
        isHub = try ledger.lookUp { reader throws(StoreError) in try reader.lastMachineRow() > 0 }
    }

    /// What is at hand is no longer true once sessions are removed.
    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        if report.marked.contains(where: \.isAny) { forget() }
    }

    /// Drops what is at hand of sessions.
    func forget() {
        sessions.removeAll()
        records.removeAll()
        age += 1
    }

    /// Nor is it once the engine has started again.
    private func recall() {
        guard restarts != ledger.restarts else { return }
        restarts = ledger.restarts
        commitsWithSessions = 0
        machines.removeAll()
        forget()
    }

    /// Whether sessions were decided on that are not on disk yet.
    var hasUnsettledSessions: Bool {
        recall()
        return commitsWithSessions > 0
    }

    // MARK: Machines

    /// The machine of this name and group with this log; registered where it was not yet, which is on disk then.
    ///
    /// - Parameter log: the id of the machine's own store, with which its numbers begin anew.
    /// - Throws: where a name breaks a rule, there are too many machines, or accounts of this hub have the uids that stand for
    ///   machines.
    func machine(named name: String, group: String?, log: Identifier) async throws(WireError) -> MachineIdentity {
        try Limits.check(machine: name)
        try Limits.check(group: group)
        let key = MachineKey(name: ExactName(name), group: group.map(ExactName.init), log: log)
        recall()
        if machines.use(key), let machine = machines[key] { return machine }
        await daemon.importer.enter()
        defer { daemon.importer.leave() }
        let machine: MachineIdentity
        let known = try ledger.lookUp { reader throws(StoreError) in
            try reader.machine(named: name, group: group, log: log)
        }
        if let known {
            machine = known
        } else {
            machine = try await register(name, group, log)
        }
        recall()
        machines.admit(key, machine)
        return machine
    }

    /// Nobody else registers one meanwhile.
    private func register(_ name: String, _ group: String?, _ log: Identifier) async throws(WireError)
        -> MachineIdentity
    {
        let last = try ledger.lookUp { reader throws(StoreError) in try reader.lastMachineRow() }
        if last == 0 { try await becomeHub() }
        return try await ledger.decide { engine, changes, _ throws(WireError) in
            try engine.register(machine: name, group: group, log: log, row: last + 1, into: &changes)
        }.stored().value
    }

    private func becomeHub() async throws(WireError) {
        // From here on nobody of these uids gets in.
        isHub = true
        do throws(WireError) {
            try await ledger.settle()
            let isTaken = try ledger.lookUp { reader throws(StoreError) in try reader.hasSessionsOfHighUIDs() }
            let isHere = daemon.server.connections.values.contains { MachineIdentity.isMachine(uid: $0.peer.uid) }
            guard isTaken || isHere else { return }
            throw WireError(
                .conflict,
                "an account of this machine has a uid of \(MachineIdentity.firstUID) or more, which stand for machines on a "
                    + "hub; clear what it recorded, or let another machine be the hub")
        } catch {
            isHub = false
            throw error
        }
    }

    // MARK: Records

    /// Takes records of a machine over, in the order in which they are given, and the sessions they belong to. All is in one
    /// commit with the rows that are given, or nothing is.
    ///
    /// A session that is here already is left as it is, except that it ends where the machine says so. One whose id belongs to
    /// the hub itself or to another machine is not touched: what is of this machine lies in a session with an id derived from
    /// it. A session that was removed here is made again if it is given. Some thousand records at a time are best.
    ///
    /// - Parameters:
    ///   - sessions: those that the records belong to and that may not be here yet; others do no harm.
    ///   - skippingKnown: whether records are left out whose ids their sessions have already, as after a machine has rolled its
    ///     log back. It costs reading those sessions.
    ///   - rows: what is to be stored exactly if this is; asked for in the turn in which it is decided.
    func take(
        _ sessions: [MachineSession], _ records: [MachineRecord], of machine: MachineIdentity, skippingKnown: Bool,
        with rows: () throws(WireError) -> [any FamilyRow] = { [] }
    ) async throws(WireError) -> Decided<Taken> {
        await daemon.importer.enter()
        defer { daemon.importer.leave() }
        if ledger.isFull { try await ledger.settle() }
        var batch = try await place(sessions, records, of: machine, readingRecords: skippingKnown)
        // From here to the decision nothing else happens.
        var known = 0
        if skippingKnown {
            var seen: [Identifier: Set<Identifier>] = [:]
            for record in records {
                let id = record.session
                var ids = seen.removeValue(forKey: id) ?? batch.read[id] ?? []
                if ids.insert(record.id).inserted { batch.value.records.append(record) } else { known += 1 }
                seen[id] = ids
            }
            batch.read = seen
        } else {
            batch.value.records = records
        }
        let rows = try rows()
        let decided = try ledger.decide { engine, changes, now in
            let result = engine.take(batch.value, now: now, into: &changes)
            for row in rows { engine.keep(row, into: &changes) }
            return result
        }
        try decided.note { result in remember(batch, result.sessions, hasRead: skippingKnown) }
        if !batch.value.new.isEmpty {
            commitsWithSessions += 1
            let restarts = restarts
            decided.then { [self] _ in if restarts == self.restarts { commitsWithSessions -= 1 } }
        }
        return try decided.map { result in
            var taken = result.taken
            taken.known = known
            return taken
        }
    }

    private struct Placed {
        var value: MachineBatch
        /// The ids of the records that sessions have which are here.
        var read: [Identifier: Set<Identifier>] = [:]
    }

    private func remember(_ batch: Placed, _ sessions: [Identifier: SessionIdentity], hasRead: Bool) {
        let machine = batch.value.machine.row
        for (id, session) in sessions {
            let key = SessionKey(machine: machine, session: id)
            self.sessions.admit(key, session, weight: session.metadata.bytes.count)
        }
        if hasRead {
            for (id, ids) in batch.read {
                let key = SessionKey(machine: machine, session: id)
                // Of what was refused nothing is here; it is refused again.
                records.admit(key, ids)
                records.adjust(key) { $0 = ids }
            }
        } else {
            for record in batch.value.records {
                records.adjust(SessionKey(machine: machine, session: record.session)) { $0.insert(record.id) }
            }
        }
    }

    /// Finds where the records of each session go. In the turn in which it returns, that is so.
    private func place(
        _ given: [MachineSession], _ records: [MachineRecord], of machine: MachineIdentity, readingRecords: Bool
    ) async throws(WireError) -> Placed {
        var wanted = Wanted(given, records)
        while true {
            if wanted.isToSettle || ledger.isRemoving { try await ledger.settle() }
            recall()
            let age = age
            var batch = Placed(value: MachineBatch(of: machine, maxBytes: daemon.configuration.limits.lineBytes))
            var missing: [Identifier] = []
            for id in wanted.ids {
                let key = SessionKey(machine: machine.row, session: id)
                if sessions.use(key), let session = sessions[key] {
                    batch.value.places[id] = .known(session)
                } else {
                    missing.append(id)
                }
            }
            if !missing.isEmpty || readingRecords {
                // What was decided is looked for where it is on disk.
                guard wanted.isToSettle else {
                    wanted.isToSettle = true
                    continue
                }
                for id in missing {
                    guard let place = try await find(id, wanted.given[id], of: machine) else { continue }
                    batch.value.places[id] = place
                    if case .new = place { batch.value.new.append(id) }
                }
                if readingRecords {
                    for (id, place) in batch.value.places {
                        batch.read[id] = try await ids(known: place, SessionKey(machine: machine.row, session: id))
                    }
                }
            }
            recall()
            // What was removed while we looked is found no more.
            guard age == self.age, !ledger.isRemoving else { continue }
            for session in given {
                guard let end = session.endedAt, case .known(let identity) = batch.value.places[session.id] else {
                    continue
                }
                batch.value.ended.append((identity, end))
            }
            return batch
        }
    }

    /// The sessions that are asked for.
    private struct Wanted {
        private(set) var ids: [Identifier] = []
        private(set) var given: [Identifier: MachineSession] = [:]
        var isToSettle = false

        init(_ sessions: [MachineSession], _ records: [MachineRecord]) {
            var known: Set<Identifier> = []
            for session in sessions where known.insert(session.id).inserted {
                ids.append(session.id)
                given[session.id] = session
            }
            for record in records where known.insert(record.session).inserted { ids.append(record.session) }
        }
    }

    /// As often an id is derived again where somebody else has the one before.
    private static let derivations = 4

    /// - Returns: nil where nothing is known of the session.
    private func find(
        _ id: Identifier, _ given: MachineSession?, of machine: MachineIdentity
    ) async throws(WireError) -> MachineBatch.Place? {
        var given = given
        var own = id
        for _ in 0...MachineRecords.derivations {
            switch try await holder(of: own) {
            case .nobody: return given.map { .new($0, as: own) }
            case .session(let session) where session.identity.scope.uid == machine.uid:
                return .known(session.identity)
            case .session(let session):
                // In another group the same machine goes on with the session it has.
                if given == nil, let other = session.identity.machine, other.isSameLog(as: machine) {
                    given = MachineSession(session.identity, id: id, endedAt: session.endedAt)
                }
                own = machine.derivedId(for: own)
            // It was gone when that was told.
            case .removed: continue
            }
        }
        return .refused(WireError(.conflict, "others have the id of its session, and those that it would have instead"))
    }

    /// Who has the id of a session, after what is removed of that id is gone.
    private func holder(of id: Identifier) async throws(WireError) -> StoreReader.SessionIdHolder {
        while true {
            let holder = try await daemon.read(for: .daemon) { reader throws(StoreError) in
                try reader.holder(ofSessionId: id)
            }
            guard case .removed = holder else { return holder }
            try await daemon.sweeper.finish()
        }
    }

    /// The ids of the records that a session has here, and those that whoever has its id instead has: another log of the same
    /// machine may have brought them.
    private func ids(known place: MachineBatch.Place, _ key: SessionKey) async throws(WireError) -> Set<Identifier> {
        if records.use(key), let ids = records[key] { return ids }
        var sessions: Set<Identifier> = []
        if case .known(let session) = place { sessions.insert(session.id) }
        if case .session(let session) = try await holder(of: key.session) { sessions.insert(session.identity.id) }
        var ids: Set<Identifier> = []
        for session in sessions { ids.formUnion(try await self.ids(ofSession: session)) }
        return ids
    }

    private func ids(ofSession session: Identifier) async throws(WireError) -> Set<Identifier> {
        var ids: Set<Identifier> = []
        var after: UInt64? = 0
        while let from = after {
            let page = try await daemon.read(for: .daemon) { reader throws(StoreError) in
                try reader.recordIds(ofSession: session, after: from, patience: RecordPages.patience)
            }
            ids.formUnion(page.ids)
            after = page.next
        }
        return ids
    }
}

extension MachineIdentity {
    /// Whether it differs at most in the group.
    fileprivate func isSameLog(as other: MachineIdentity) -> Bool {
        log == other.log && name.hasSameBytes(as: other.name)
    }
}
