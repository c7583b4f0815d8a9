import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Which session of this store each session of a machine is.
extension MachineRecords {
    struct Placed {
        var value: MachineBatch
        /// The ids of the records that sessions have which are here.
        var read: [Identifier: Set<Identifier>] = [:]
    }

    /// Finds where the records of each session go. In the turn in which it returns, that is so.
    func place(
        _ given: [MachineSession], _ records: [MachineRecord], of machine: MachineIdentity, readingRecords: Bool
    ) async throws(WireError) -> Placed {
        var wanted = Wanted(given, records)
        while true {
            if wanted.isToSettle || ledger.isRemoving { try await ledger.settle() }
            recall()
            let age = age
            var batch = Placed(value: MachineBatch(of: machine, maxBytes: try daemon.configuration.limits.lineBytes))
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
                // What was decided elsewhere, and records, are looked for where they are on disk.
                let importer = try daemon.importer
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

    /// As many sessions are looked up on the loop, which costs less than asking the reader's thread.
    private static let mostLookedUpAtOnce = 16
    /// As often an id is derived again where somebody else has the one before.
    private static let derivations = 4

    /// - Returns: nil where nothing is known of the session.
    private func find(
        _ id: Identifier, _ given: MachineSession?, of machine: MachineIdentity, atOnce: Bool
    ) async throws(WireError) -> MachineBatch.Place? {
        var given = given
        var own = id
        for _ in 0...MachineRecords.derivations {
            if let session = unsettled[own] {
                if session.scope.uid == machine.uid { return .known(session) }
                // Somebody else's; what is to be known of it is on disk then.
                try await ledger.settle()
            }
            switch try await holder(of: own, atOnce: atOnce) {
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
    private func holder(
        of id: Identifier, atOnce: Bool = false
    ) async throws(WireError) -> StoreReader.SessionIdHolder {
        while true {
            let query: @Sendable (StoreReader) throws(StoreError) -> StoreReader.SessionIdHolder = {
                reader throws(StoreError) in try reader.holder(ofSessionId: id)
            }
            let holder = atOnce ? try ledger.lookUp(query) : try await daemon.read(for: .daemon, query)
            guard case .removed = holder else { return holder }
            try await daemon.sweeper.finish()
        }
    }

    /// The ids of the records that a session has here, and those that another log of the same machine has brought of it.
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
                let page = try await daemon.read(for: .daemon) { reader throws(StoreError) in
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
    /// Whether it differs at most in the group.
    fileprivate func isSameLog(as other: MachineIdentity) -> Bool {
        log == other.log && name.hasSameBytes(as: other.name)
    }

    /// Whether both are logs of one machine: the second is called `kiosk-1~2` (`FleetHub.name`).
    fileprivate func isLog(ofSame other: MachineIdentity) -> Bool {
        name.prefix { $0 != "~" } == other.name.prefix { $0 != "~" }
    }
}
