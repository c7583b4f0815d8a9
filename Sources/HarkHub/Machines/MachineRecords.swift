package import HarkCore
package import HarkLedger
package import HarkServer
package import HarkStore
package import HarkSystem
package import HarkWire

/// Stores the records of machines on this hub.
///
/// Requests are decided one after the other, and in turns with imports, because both create sessions with external ids.
/// They do not wait for commits: decided machines and sessions are remembered until they are on disk, because the store
/// does not have them yet. So records of many new machines need few commits.
@DaemonActor
package final class MachineRecords: Desk {
    // Weak, because a machine's message may arrive when the daemon has ended.
    private weak var heldImporter: Importer?
    private weak var heldServer: Server?
    package let ledger: Ledger
    private var machines = Cache<MachineKey, MachineIdentity>(capacity: 10_000)
    package var sessions = Cache<SessionKey, SessionIdentity>(capacity: 10_000, weightCapacity: 16 << 20)
    /// The record ids of recent sessions, including records that are not on disk yet.
    package var records = Cache<SessionKey, Set<Identifier>>(capacity: 16)
    /// Incremented whenever cached data becomes invalid.
    package private(set) var age = 0
    /// `Ledger.restarts` when the cached data was read.
    private var restarts = 0
    /// Machines that were decided on and are not on disk yet.
    private var unsettledMachines: [MachineKey: MachineIdentity] = [:]
    /// The row of the last machine, as decided; nil until it is looked up.
    private var lastRow: Int64?
    /// Sessions that were decided on and are not on disk yet, by their ids in this store.
    package private(set) var unsettled: [Identifier: SessionIdentity] = [:]
    /// Whether there are machines, whose uids belong to no local user.
    package private(set) var isHub = false

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

    package struct SessionKey: Hashable {
        package let machine: Int64
        package let session: Identifier
    }

    package init(_ importer: Importer, server: Server) {
        heldImporter = importer
        heldServer = server
        ledger = server.ledger
    }

    /// - Throws: After the daemon has ended.
    package var importer: Importer { get throws(WireError) { try MachineRecords.alive(heldImporter) } }
    package var server: Server { get throws(WireError) { try MachineRecords.alive(heldServer) } }

    private static func alive<Held>(_ held: Held?) throws(WireError) -> Held {
        guard let held else { throw WireError(.shuttingDown, "harkd is ending") }
        return held
    }

    package func begin() throws(WireError) {
        isHub = try ledger.lookUp { reader throws(StoreError) in try reader.lastMachineRow() > 0 }
    }

    /// Invalidates the cache when sessions are removed.
    package func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        if report.marked.contains(where: \.isAny) { forget() }
    }

    /// Drops the cached sessions.
    package func forget() {
        sessions.removeAll()
        records.removeAll()
        age += 1
    }

    /// Invalidates the cache when the engine has restarted.
    func recall() {
        guard restarts != ledger.restarts else { return }
        restarts = ledger.restarts
        unsettledMachines = [:]
        lastRow = nil
        unsettled = [:]
        machines.removeAll()
        forget()
    }

    /// Whether there are decided sessions that are not on disk yet.
    var hasUnsettledSessions: Bool {
        recall()
        return !unsettled.isEmpty
    }

    // MARK: Machines

    /// The machine of this name and group with this log; registers it if it is new, without waiting for the commit:
    /// decisions about it are refused together with it.
    ///
    /// - Parameter log: The id of the machine's store, in which its numbers start again.
    /// - Throws: If a name breaks a rule, there are too many machines, or accounts of this hub have uids that are
    ///   reserved for machines.
    package func machine(
        named name: String, group: String?, log: Identifier
    ) async throws(WireError) -> MachineIdentity {
        try Limits.check(machine: name)
        try Limits.check(group: group)
        if let machine = try known(name, group, log) { return machine }
        let importer = try importer
        await importer.turnstile.enter()
        defer { importer.turnstile.leave() }
        // Another request may have registered the machine meanwhile.
        if let machine = try known(name, group, log) { return machine }
        return try await register(name, group, log)
    }

    /// The machine, if it is stored or decided on.
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

    /// Registers a machine; the caller ensures that nobody else does at the same time.
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
        // From here on, users with these uids cannot connect.
        isHub = true
        do throws(WireError) {
            try await ledger.settle()
            let isTaken = try ledger.lookUp { reader throws(StoreError) in try reader.hasSessionsOfHighUIDs() }
            let isHere = try server.connections.values.contains { MachineIdentity.isMachine(uid: $0.peer.uid) }
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

    /// Stores records of a machine, in the given order, and their sessions. One commit contains all of it and the given
    /// rows; otherwise nothing is stored.
    ///
    /// A known session stays as it is, but ends if the machine says so. A session whose id belongs to the hub itself or
    /// to another machine is not touched: this machine's records go to a session with a derived id. A session that was
    /// removed here is created again if it is given. Batches of some thousand records are best.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of the records that may be unknown here; others do no harm.
    ///   - skippingKnown: Whether to skip records whose ids their sessions already have, as after a machine has rolled
    ///     its log back. It costs reading those sessions.
    ///   - rows: Returns rows for the same commit; called in the turn of the decision.
    package func take(
        _ sessions: [MachineSession], _ records: [MachineRecord], of machine: MachineIdentity, skippingKnown: Bool,
        with rows: () throws(WireError) -> [any FamilyRow] = { [] }
    ) async throws(WireError) -> Decided<Taken> {
        let importer = try importer
        await importer.turnstile.enter()
        defer { importer.turnstile.leave() }
        if ledger.isFull { try await ledger.settle() }
        var batch = try await place(sessions, records, of: machine, readingRecords: skippingKnown)
        // No other code runs from here to the decision.
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
            // A session whose records are all stored under another log is not created again.
            let wanted = Set(batch.value.records.map(\.session))
            let given = Set(records.map(\.session))
            batch.value.new.removeAll { given.contains($0) && !wanted.contains($0) }
        } else {
            batch.value.records = records
        }
        // The registration may have been refused, and its row may belong to another machine by now.
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

    /// Remembers created sessions until their commit is over, because the store does not have them yet.
    private func noteUnsettled(
        _ new: [Identifier], _ decided: Decided<(taken: Taken, sessions: [Identifier: SessionIdentity])>
    ) throws(WireError) {
        var made: [Identifier] = []
        try decided.note { result in
            // Refused records have no session here.
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
                // The known ids exclude refused records, which are refused again.
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
