import HarkCore
import HarkFleet
import HarkHub
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// `fleet.*`: the machines of a fleet, and the documents of its hub.
enum FleetMethods {
    static let all: [Method] = [status, push, withdraw]

    static let push = Method(
        FleetPushDocument.self, summary: "Gives a document to all machines of the fleet, or of a group.",
        details: """
            The hub checks and keeps the document, and the broker keeps it too, so that a machine that is off gets it when it is \
            back. A machine keeps the last good version, and reports to the hub which one it has (`fleet.status`). A machine's \
            own document is not in force while the hub has one for it. `changed` is false if this version was in force already; \
            it is sent again in any case. A machine whose Hark cannot read the whole document gets the part that it can read; \
            `issues` says what is missing there.
            """,
        isForAdministrators: true,
        refusals: [
            .init(reason: .invalidParams, when: "the document has errors"),
            .init(
                reason: .conflict, when: "this daemon is not a hub", params: #"{"kind":"flags","text":"{}"}"#),
        ],
        examples: [
            .init(
                params: #"{"kind":"flags","text":"{\"dark\": true}","group":"north"}"#,
                result: """
                    {"kind":"flags","group":"north","version":"9d0e0f1a2b3c4d5e","changed":true,\
                    "issues":[{"path":"$","message":"no machine is in the group 'north' yet"}]}
                    """)
        ],
        answering: { call, request throws(WireError) in
            let group = try group(request.group)
            let (hub, pushes) = try await hub(call)
            let bytes = Array(request.text.utf8)
            guard bytes.count <= FleetDocument.mostBytes else {
                throw WireError(
                    .tooLarge, "a document has at most \(FleetDocument.mostBytes >> 20) MiB", path: Params.path("text"))
            }
            let issues = await DocumentThread.run { FleetDocuments.issues(of: bytes, request.kind) }
            if let fault = issues.errors.first {
                throw WireError(
                    .invalidParams, "the document has errors: \(fault)", path: Params.path("text"))
            }
            let known = pushes.document(request.kind, group: group)
            let document = FleetDocument(
                kind: request.kind, version: FleetDocuments.version(of: bytes), pushedAt: call.ledger.now,
                text: request.text)
            try await pushes.keep(document, group: group)
            let message = pushes.message(request.kind, group: group) ?? document
            hub.publish(message, group: group)
            var result = FleetPushDocument.Result()
            result.kind = request.kind
            result.group = group
            result.version = document.version
            result.changed = known?.text.map { $0.hasSameBytes(as: request.text) } != true
            let doubts = try doubts(of: message, group, hub, call).map { DocumentIssue(path: "$", message: $0) }
            result.issues = (issues.warnings + doubts).map(IssueInfo.init)
            return result
        })

    /// Reasons why machines may not get a document.
    @DaemonActor
    private static func doubts(
        of document: FleetDocument, _ group: String?, _ hub: FleetHub, _ call: Call
    ) throws(WireError) -> [String] {
        var doubts = hub.link.fault(ofBytes: document.payload.count).map { [$0] } ?? []
        doubts += hub.olderMachines(document, group: group)
        guard let group else { return doubts }
        let stored = try call.ledger.lookUp { reader throws(StoreError) in try reader.machineGroups() }
        let groups = Set(stored).union(hub.peers.values.compactMap(\.group))
        if !groups.contains(group) {
            let question = Suggestion.question(for: group, among: groups.sorted())
            doubts.append("no machine is in the group '\(group)'\(question.isEmpty ? " yet" : question)")
        }
        return doubts
    }

    /// The clears of machines that this hub has not followed.
    @DaemonActor
    private static func waitingClears(_ call: Call) async throws(WireError) -> [WaitingClear] {
        do throws(StoreError) {
            return try await call.ledger.store.readAside { reader throws(StoreError) in
                try reader.waitingClears()
            }
        } catch {
            throw WireError(error)
        }
    }

    static let withdraw = Method(
        FleetWithdraw.self, summary: "Withdraws a document; machines go back to their own.",
        isForAdministrators: true,
        refusals: [.init(reason: .conflict, when: "this daemon is not a hub", params: #"{"kind":"flags"}"#)],
        examples: [
            .init(
                before: [#"{"id":0,"method":"fleet.push","params":{"kind":"surveys","text":"{\"surveys\": []}"}}"#],
                params: #"{"kind":"surveys"}"#, result: #"{"withdrawn":true}"#)
        ],
        answering: { call, request throws(WireError) in
            let group = try group(request.group)
            let (hub, pushes) = try await hub(call)
            let known = pushes.document(request.kind, group: group)
            let document = FleetDocument(
                kind: request.kind, version: "none", pushedAt: call.ledger.now, text: nil)
            if known != nil { try await pushes.keep(document, group: group) }
            hub.publish(document, group: group)
            var result = FleetWithdraw.Result()
            result.withdrawn = known?.text != nil
            return result
        })

    static let status = Method(
        FleetStatus.self,
        summary: "Returns the state of the fleet: on a machine, its connection to the hub; on a hub, its machines.",
        details: """
            A machine counts as connected until the broker says that it is gone. The broker needs a while to notice that a \
            machine has vanished; a hub with `livenessSeconds` asks the machine itself. The hub records `machine.away` when a \
            machine stays away, and `machine.back` when it is back. A hub stores how far it has each machine's log; it learns \
            everything else from the machine again after each start of the hub. A machine can have several logs: after a new \
            disk, after a disk was set back, or when a copy of its disk runs elsewhere. They are kept apart; the second is \
            called `kiosk-1~2`.
            """,
        isForAdministrators: true,
        examples: [
            .init(
                params: "{}",
                result: """
                    {"role":"machine","fleet":"shop","broker":"mqtt://127.0.0.1:1","state":"connecting",\
                    "problem":"the broker mqtt://127.0.0.1:1 is not reached yet","cause":"unreachable","hub":null,"documents":[],\
                    "machine":"kiosk-1","group":"north","log":"01a20c43-d815-416c-a574-3a6f7b016dfe","cursor":0,\
                    "pending":0,"acknowledgedAt":null,"notes":[]}
                    """)
        ],
        answering: { call, request throws(WireError) in
            let desk = call.desk(FleetDesk.self)
            await desk.started()
            let clears = desk.hub == nil ? [] : try await waitingClears(call)
            var result = FleetStatus.Result()
            guard let broker = desk.settings.broker else { return result }
            result.role = desk.settings.role
            result.fleet = FleetStatus.Fleet(desk, broker: broker)
            switch desk.settings.role {
            case .machine: result.own = FleetStatus.Machine(desk)
            case .hub: result.hub = try hub(desk, request, clears, call)
            }
            return result
        })

    // MARK: Shared

    @DaemonActor
    private static func hub(_ call: Call) async throws(WireError) -> (FleetHub, FleetPushes) {
        await call.desk(FleetDesk.self).started()
        guard let hub = call.desk(FleetDesk.self).hub, let pushes = call.desk(FleetDesk.self).pushes else {
            throw WireError(
                .conflict,
                "this daemon is not the hub of a fleet; ask the hub's, or make this one the hub (\"fleet\": {\"role\": \"hub\"})"
            )
        }
        return (hub, pushes)
    }

    private static func group(_ group: String?) throws(WireError) -> String? {
        guard let group, !FleetName.isValid(group) else { return group }
        throw WireError(.invalidParams, "a group is \(FleetName.words)", path: Params.path("group"))
    }
}
