import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Takes over what machines have recorded, into the store of this hub.
///
/// One request after the other up to its decision, and together with imports: both make sessions whose ids come from
/// elsewhere. The commits are not waited for: machines and sessions that were decided on and are not on disk yet are remembered, as
/// nobody finds them in the store. So what many new machines bring is in few commits.
@DaemonActor
final class MachineRecords: Desk {
    /// What a machine has sent may come when the daemon has ended.
    private weak var held: Daemon?
    let ledger: Ledger
    private var machines = Cache<MachineKey, MachineIdentity>(capacity: 10_000)
    var sessions = Cache<SessionKey, SessionIdentity>(capacity: 10_000, weightCapacity: 16 << 20)
    /// The records of sessions lately asked about, those that are not on disk yet among them.
    var records = Cache<SessionKey, Set<Identifier>>(capacity: 16)
    /// Grows whenever what was read before is no longer true.
    private(set) var age = 0
    /// `Ledger.restarts` when what is at hand was looked up.
    private var restarts = 0
    /// Machines that were decided on and are not on disk yet.
    private var unsettledMachines: [MachineKey: MachineIdentity] = [:]
    /// The row of the last machine, as decided; nil until it was looked up.
    private var lastRow: Int64?
    /// Sessions that were decided on and are not on disk yet, by the ids that they have here.
    private(set) var unsettled: [Identifier: SessionIdentity] = [:]
    /// Whether there are machines: then their uids are nobody else's.
    private(set) var isHub = false

    private struct MachineKey: Hashable {
        let name: ExactName
        let group: ExactName?
        let log: Identifier

        init(_ name: String, _ group: String?, _ log: Identifier) {
            self.name = ExactName(name)
            self.group = group.map(ExactName.init)
            self.log = log
        }
    }

    struct SessionKey: Hashable {
        let machine: Int64
        let session: Identifier
    }

    init(daemon: Daemon) {
        held = daemon
        ledger = daemon.ledger
    }

    /// - Throws: once it has ended.
    var daemon: Daemon {
        get throws(WireError) {
            guard let held else { throw WireError(.shuttingDown, "harkd is ending") }
            return held
        }
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
    func recall() {
        guard restarts != ledger.restarts else { return }
        restarts = ledger.restarts
        unsettledMachines = [:]
        lastRow = nil
        unsettled = [:]
        machines.removeAll()
        forget()
    }

    /// Whether sessions were decided on that are not on disk yet.
    var hasUnsettledSessions: Bool {
        recall()
        return !unsettled.isEmpty
    }

    // MARK: Machines

    /// The machine of this name and group with this log; registered where it was not yet. That is not waited for: what is decided
    /// about it is refused with it.
    ///
    /// - Parameter log: the id of the machine's own store, with which its numbers begin anew.
    /// - Throws: where a name breaks a rule, there are too many machines, or accounts of this hub have the uids that stand for
    ///   machines.
    func machine(named name: String, group: String?, log: Identifier) async throws(WireError) -> MachineIdentity {
        try Limits.check(machine: name)
        try Limits.check(group: group)
        if let machine = try known(name, group, log) { return machine }
        let importer = try daemon.importer
        await importer.enter()
        defer { importer.leave() }
        // Somebody else may have had it registered meanwhile.
        if let machine = try known(name, group, log) { return machine }
        return try await register(name, group, log)
    }

    /// The machine, as far as it was decided on.
    private func known(_ name: String, _ group: String?, _ log: Identifier) throws(WireError) -> MachineIdentity? {
        recall()
        let key = MachineKey(name, group, log)
        if machines.use(key), let machine = machines[key] { return machine }
        if let machine = unsettledMachines[key] { return machine }
        let stored = try ledger.lookUp { reader throws(StoreError) in
            try reader.machine(named: name, group: group, log: log)
        }
        if let stored { machines.admit(key, stored) }
        return stored
    }

    /// Nobody else registers one meanwhile.
    private func register(_ name: String, _ group: String?, _ log: Identifier) async throws(WireError)
        -> MachineIdentity
    {
        if try last() == 0 { try await becomeHub() }
        recall()
        let (key, row) = (MachineKey(name, group, log), try last() + 1)
        let decided = try ledger.decide { engine, changes, _ throws(WireError) in
            try engine.register(machine: name, group: group, log: log, row: row, into: &changes)
        }
        var registered: MachineIdentity?
        try decided.note { registered = $0 }
        guard let machine = registered else { throw WireError(.storeUnavailable, MachineRecords.refused) }
        lastRow = row
        unsettledMachines[key] = machine
        machines.admit(key, machine)
        let restarts = restarts
        decided.then { [self] _ in if restarts == self.restarts { unsettledMachines[key] = nil } }
        return machine
    }

    private static let refused = "the store has refused what came before"

    private func last() throws(WireError) -> Int64 {
        if let lastRow { return lastRow }
        let row = try ledger.lookUp { reader throws(StoreError) in try reader.lastMachineRow() }
        lastRow = row
        return row
    }

    private func becomeHub() async throws(WireError) {
        // From here on nobody of these uids gets in.
        isHub = true
        do throws(WireError) {
            try await ledger.settle()
            let isTaken = try ledger.lookUp { reader throws(StoreError) in try reader.hasSessionsOfHighUIDs() }
            let isHere = try daemon.server.connections.values.contains { MachineIdentity.isMachine(uid: $0.peer.uid) }
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
        let importer = try daemon.importer
        await importer.enter()
        defer { importer.leave() }
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
            // A session of which all is here under another log is not made once more.
            let wanted = Set(batch.value.records.map(\.session))
            let given = Set(records.map(\.session))
            batch.value.new.removeAll { given.contains($0) && !wanted.contains($0) }
        } else {
            batch.value.records = records
        }
        // It may have been refused since it was registered, and its row may be another's by now.
        guard try self.known(machine.name, machine.group, machine.log)?.row == machine.row else {
            throw WireError(.storeUnavailable, MachineRecords.refused)
        }
        let rows = try rows()
        let decided = try ledger.decide { engine, changes, now in
            let result = engine.take(batch.value, now: now, into: &changes)
            for row in rows { engine.keep(row, into: &changes) }
            return result
        }
        try decided.note { result in remember(batch, result.sessions, hasRead: skippingKnown) }
        let new = batch.value.new
        if !new.isEmpty { try noteUnsettled(new, decided) }
        return try decided.map { result in
            var taken = result.taken
            taken.known = known
            return taken
        }
    }

    /// Sessions were made that nobody finds in the store before their commit is over.
    private func noteUnsettled(
        _ new: [Identifier], _ decided: Decided<(taken: Taken, sessions: [Identifier: SessionIdentity])>
    ) throws(WireError) {
        var made: [Identifier] = []
        try decided.note { result in
            // What was refused is not among them.
            for id in new {
                guard let session = result.sessions[id] else { continue }
                unsettled[session.id] = session
                made.append(session.id)
            }
        }
        let restarts = restarts
        decided.then { [self] _ in
            guard restarts == self.restarts else { return }
            for id in made { unsettled[id] = nil }
        }
    }

    private func remember(_ batch: Placed, _ sessions: [Identifier: SessionIdentity], hasRead: Bool) {
        let machine = batch.value.machine.row
        for (id, session) in sessions {
            let key = SessionKey(machine: machine, session: id)
            self.sessions.admit(key, session, weight: session.metadata.byteCount)
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
}
