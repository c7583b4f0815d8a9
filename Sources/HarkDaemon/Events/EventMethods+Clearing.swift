import HarkCore
import HarkDelivery
import HarkHub
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Removing what was recorded.
extension EventMethods {
    static let clear = Method(
        EventClear.self, summary: "Removes events and their sessions for good; for a user, everything there is.",
        details: """
            Exactly one of `all`, `userId` and `sessionId` says what to remove. `userId` removes everything that `user.export` \
            returns ([one person's data](guides/person.md)). The reply comes when the data is gone from the store and from the \
            archive tree, including data that only the tree has. If the daemon ends before, it continues after the next start. \
            Clearing the current session leaves its app without one. Records that come after the request stay. `all` forgets the \
            producers as well: a record that one of them sends again is recorded again. On a hub, `machine` and `group` limit \
            the removal to records of these machines; alone, they mean all of those records.
            """,
        refusals: [
            .init(reason: .invalidParams, when: "none of the three is given, or more than one", params: "{}"),
            .init(
                reason: .notFound, when: "there is no such session, or it is not yours to see",
                params: #"{"sessionId":"0199e0f4-8c7a-7000-8000-00000000dead"}"#),
        ],
        examples: [
            .init(
                before: [#"{"id":0,"method":"event.record","params":{"name":"door_opened"}}"#],
                params: #"{"userId":null}"#, result: #"{"sessions":1,"events":1}"#),
            .init(params: #"{"all":true}"#, result: #"{"sessions":0,"events":0}"#),
        ],
        handler: .lasting { call, request throws(WireError) in
            let target = try clearTarget(request)
            let uids = try uidsToClear(request, call)
            let sweeper = call.desk(Sweeper.self)
            // Excludes what retention or other clears had removed before.
            let deliveredBefore = sweeper.deliveredCount
            let isOfAccounts = uids == [call.peer.visibleUID]
            let forms = isOfAccounts ? try submittedForms(target, of: call.peer.visibleUID, call.ledger) : []
            let firstMachines = uids.prefix(machinesAtOnce)
            let first = try clear(target, of: firstMachines, upToRow: nil, call)
            return { json throws(WireError) in
                // Records that arrive meanwhile stay.
                let last = try first.map { $0.first?.selection.upToRow }
                let clearUpToLast = { @DaemonActor (uids: ArraySlice<UInt32?>) throws(WireError) in
                    try last.flatMap { last throws(WireError) in
                        try clear(target, of: uids, upToRow: last, call)
                    }
                }
                var marked = try await mark(first, sweeper) { () throws(WireError) in try clearUpToLast(firstMachines) }
                for start in stride(from: machinesAtOnce, to: uids.count, by: machinesAtOnce) {
                    let uids = uids[start...].prefix(machinesAtOnce)
                    let next = try clearUpToLast(uids)
                    marked += try await mark(next, sweeper) { () throws(WireError) in try clearUpToLast(uids) }
                }
                // Includes what an earlier clear could not remove, and waits for removals in progress.
                try await sweeper.finishClear()
                // For machines, the archive has no more than the store knows of.
                if isOfAccounts {
                    let strangers = try await call.desk(ArchiveDesk.self).clear(target, uid: call.peer.visibleUID)
                    marked.sessions += strangers.sessions
                    marked.events += strangers.events
                }
                if case .session(let id) = target, marked.sessions == 0 { throw WireError.unknown(session: id) }
                var result = ClearedRecords()
                result.sessions = Int64(marked.sessions)
                result.events = Int64(marked.events)
                let servers = sweeper.deliveredTo(since: deliveredBefore)
                if !servers.isEmpty { result.delivered = servers.map(\.name) }
                let unreached =
                    servers.map { UnreachedCopy(kind: $0.kind, name: $0.name) }
                    + forms.map { UnreachedCopy(kind: "form", name: $0) }
                if !unreached.isEmpty { result.unreached = unreached }
                result.writeMembers(to: &json)
            }
        })

    /// The forms whose servers may have answers that are cleared.
    @DaemonActor
    private static func submittedForms(
        _ target: Selection.Target, of uid: UInt32?, _ ledger: Ledger
    ) throws(WireError) -> [String] {
        let selection = Selection(target: target, uid: uid, upToRow: 0)
        var forms = Set(
            try ledger.lookUp { reader throws(StoreError) in try reader.submittedForms(of: selection) })
        // The store may not have the latest submissions yet.
        try ledger.decide { engine, _, _ in engine.forms.submitted(of: selection) }.note { forms.formUnion($0) }
        return forms.sorted()
    }

    private typealias Selections = [(selection: Selection, place: Int)]
    private typealias Cleared = Decided<Selections>

    /// - Parameter upToRow: The row of the last session to clear; nil: all current sessions.
    @DaemonActor
    private static func clear(
        _ target: Selection.Target, of uids: ArraySlice<UInt32?>, upToRow: Int64?, _ call: Call
    ) throws(WireError) -> Cleared {
        let source = call.source
        let cleared = try call.ledger.decide { engine, changes, now in
            uids.map { uid in
                let selection = engine.clear(target, uid: uid, upToRow: upToRow, now: now, into: &changes)
                let place = changes.upkeep.count - 1
                engine.recordClear(selection, source: source, now: now, into: &changes)
                return (selection: selection, place: place)
            }
        }
        call.desk(Importer.self).forget()
        call.desk(MachineRecords.self).forget()
        return cleared
    }

    /// Waits until the whole selection is marked.
    ///
    /// - Parameter again: Decides it once more, after a refused commit.
    @DaemonActor
    private static func mark(
        _ cleared: Cleared, _ sweeper: Sweeper, _ again: () throws(WireError) -> Cleared
    ) async throws(WireError) -> CommitReport.Marked {
        var isFirst = true
        let (selections, report) = try await sweeper.again {
            () async throws(WireError) -> (value: Stored<Selections>, report: CommitReport) in
            if !isFirst { return try await again().reported() }
            isFirst = false
            return try await cleared.reported()
        }
        var marked = CommitReport.Marked()
        for (selection, place) in selections.value {
            marked += try await sweeper.markRest(of: selection, report.marked[place])
        }
        return marked
    }

    private static func clearTarget(_ request: EventClear) throws(WireError) -> Selection.Target {
        var targets: [Selection.Target] = []
        if request.everything == true { targets.append(.all) }
        if case .user(let userId)? = request.user.filter { targets.append(.user(userId)) }
        if let id = request.session.flatMap(Identifier.init) { targets.append(.session(id)) }
        let (name, group) = try machines(of: request)
        if targets.isEmpty, name != nil || group != nil { return .all }
        guard targets.count == 1, let target = targets.first else {
            throw WireError(
                .invalidParams, "say exactly one of: \"all\": true, \"userId\": \"…\" (or null), \"sessionId\": \"…\"",
                path: "$.params")
        }
        return target
    }

    private static func machines(
        of request: EventClear
    ) throws(WireError) -> (name: NamePattern?, group: NamePattern?) {
        (try MachineChoice.pattern("machine", request.machine), try MachineChoice.pattern("group", request.group))
    }

    /// The machines cleared by one commit, and by one request.
    private static let machinesAtOnce = 100
    private static let mostMachines = 10_000

    /// The uids whose sessions are cleared; nil stands for all users.
    @DaemonActor
    private static func uidsToClear(_ request: EventClear, _ call: Call) throws(WireError) -> [UInt32?] {
        let (name, group) = try machines(of: request)
        guard name != nil || group != nil else { return [call.peer.visibleUID] }
        let found = try call.ledger.lookUp { reader throws(StoreError) in
            try reader.machines(.of(machine: name, group: group), limit: mostMachines + 1)
        }
        let uids = found.map(\.uid).filter { call.peer.maySee(uid: $0) }
        guard !uids.isEmpty else {
            throw WireError(
                .notFound, "this hub has no records of such a machine, or you may not see them",
                path: Params.path(name == nil ? "group" : "machine"))
        }
        guard uids.count <= mostMachines else {
            throw WireError(
                .tooLarge, "this matches more than \(mostMachines) machines; name fewer at a time",
                path: Params.path(name == nil ? "group" : "machine"))
        }
        return uids
    }
}

extension UnreachedCopy {
    fileprivate init(kind: String, name: String) {
        self.init()
        (self.kind, self.name) = (kind, name)
    }
}
