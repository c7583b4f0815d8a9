package import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
package import HarkWire

/// Maps the sessions of a machine to sessions of this store.
extension MachineRecords {
    package struct Placed {
        package var value: MachineBatch
        /// The ids of the stored records, by session.
        package var read: [Identifier: Set<Identifier>] = [:]
    }

    /// Finds the session for the records of each machine session. The result is valid in the turn in which it returns.
    package func place(
        _ given: [MachineSession], _ records: [MachineRecord], of machine: MachineIdentity, readingRecords: Bool
    ) async throws(WireError) -> Placed {
        var wanted = Wanted(given, records)
        while true {
            if wanted.isToSettle || ledger.isRemoving { try await ledger.settle() }
            recall()
            let age = age
            var batch = Placed(value: MachineBatch(of: machine, maxBytes: try server.limits.lineBytes))
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
                // Decisions of others, and records, are looked up on disk.
                let importer = try importer
                guard wanted.isToSettle || !readingRecords && !importer.hasUnsettledSessions else {
                    wanted.isToSettle = true
                    continue
                }
                let isShort = missing.count <= MachineRecords.mostLookedUpAtOnce
                for id in missing {
                    guard let place = try await find(id, wanted.given[id], of: machine, atOnce: isShort) else {
                        continue
                    }
                    batch.value.places[id] = place
                    if case .new = place { batch.value.new.append(id) }
                }
                if readingRecords {
                    for (id, place) in batch.value.places {
                        batch.read[id] = try await ids(known: place, id, of: machine)
                    }
                }
            }
            recall()
            // Sessions may have been removed during the look-up.
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

    /// The sessions to look up.
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

    /// Up to this many sessions are looked up on the loop, which costs less than asking the reader's thread.
    private static let mostLookedUpAtOnce = 16
    /// How often another id is derived if the previous one is taken.
    private static let derivations = 4

    /// - Returns: nil if the session is unknown.
    private func find(
        _ id: Identifier, _ given: MachineSession?, of machine: MachineIdentity, atOnce: Bool
    ) async throws(WireError) -> MachineBatch.Place? {
        var given = given
        var own = id
        for _ in 0...MachineRecords.derivations {
            if let session = unsettled[own] {
                if session.scope.uid == machine.uid { return .known(session) }
                // The session belongs to another user; after the commit it can be looked up.
                try await ledger.settle()
            }
            switch try await holder(of: own, atOnce: atOnce) {
            case .nobody: return given.map { .new($0, as: own) }
            case .session(let session) where session.identity.scope.uid == machine.uid:
                return .known(session.identity)
            case .session(let session):
                // A machine that changes its group continues its session.
                if given == nil, let other = session.identity.machine, other.isSameLog(as: machine) {
                    given = MachineSession(session.identity, id: id, endedAt: session.endedAt)
                }
                own = machine.derivedId(for: own)
            // The session was removed before it was reported.
            case .removed: continue
            }
        }
        return .refused(WireError(.conflict, "others have the id of its session, and those that it would have instead"))
    }

    /// The holder of a session id, once removed sessions with that id are gone.
    private func holder(
        of id: Identifier, atOnce: Bool = false
    ) async throws(WireError) -> StoreReader.SessionIdHolder {
        while true {
            let query: @Sendable (StoreReader) throws(StoreError) -> StoreReader.SessionIdHolder = {
                reader throws(StoreError) in try reader.holder(ofSessionId: id)
            }
            let holder = atOnce ? try ledger.lookUp(query) : try await ledger.read(for: .daemon, query)
            guard case .removed = holder else { return holder }
            try await importer.sweeper.finish()
        }
    }

    /// The ids of a session's stored records, including those of it that another log of the same machine has sent.
    private func ids(
        known place: MachineBatch.Place, _ id: Identifier, of machine: MachineIdentity
    ) async throws(WireError) -> Set<Identifier> {
        let key = SessionKey(machine: machine.row, session: id)
        if records.use(key), let ids = records[key] { return ids }
        var sessions: Set<Identifier> = []
        if case .known(let session) = place { sessions.insert(session.id) }
        if case .session(let other) = try await holder(of: id), other.identity.machine?.isLog(ofSame: machine) == true {
            sessions.insert(other.identity.id)
        }
        var ids: Set<Identifier> = []
        for session in sessions {
            var after: UInt64? = 0
            while let from = after {
                let page = try await ledger.read(for: .daemon) { reader throws(StoreError) in
                    try reader.recordIds(ofSession: session, after: from, patience: RecordPages.patience)
                }
                ids.formUnion(page.ids)
                after = page.next
            }
        }
        return ids
    }
}

extension MachineIdentity {
    /// Whether both differ at most in the group.
    fileprivate func isSameLog(as other: MachineIdentity) -> Bool {
        log == other.log && name.hasSameBytes(as: other.name)
    }

    /// Whether both are logs of one machine: the second is called `kiosk-1~2` (`FleetHub.name`).
    fileprivate func isLog(ofSame other: MachineIdentity) -> Bool {
        name.prefix { $0 != "~" } == other.name.prefix { $0 != "~" }
    }
}
