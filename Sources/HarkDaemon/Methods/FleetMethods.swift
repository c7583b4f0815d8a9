import HarkCore
import HarkFleet
import HarkStore
import HarkSystem
import HarkWire

/// `fleet.*`: many machines, and the hub that has what they recorded.
enum FleetMethods {
    static let all: [Method] = [status, push, withdraw]

    static let push = Method(
        .fleetPush, summary: "Has all machines of the fleet, or of a group, take a document.",
        details: """
            The hub checks it, keeps it, and has the broker keep it, so that a machine that is off gets it when it is back. A \
            machine keeps the last good one, and tells the hub which version it has (`fleet.status`). What a machine has of its \
            own counts no more while the hub has something for it. `changed` is false where it was that already; it is told \
            again all the same.
            """,
        isForAdministrators: true,
        refusals: [
            .init(reason: .invalidParams, when: "the document has errors"),
            .init(
                reason: .conflict, when: "this daemon is no hub", params: #"{"kind":"flags","text":"{}"}"#),
        ],
        examples: [
            .init(
                params: #"{"kind":"flags","text":"{\"dark\": true}","group":"north"}"#,
                result: """
                    {"kind":"flags","group":"north","version":"9d0e0f1a2b3c4d5e","changed":true,\
                    "issues":[{"path":"$","message":"no machine is in the group 'north' yet"}]}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            let kind = try documentKind(call)
            let text = try call.params.required(.fleetText)
            let group = try group(call)
            let (hub, pushes) = try await hub(call)
            let bytes = Array(text.utf8)
            guard bytes.count <= FleetDocument.mostBytes else {
                throw WireError(
                    .tooLarge, "a document has at most \(FleetDocument.mostBytes >> 20) MiB", path: .fleetText)
            }
            let issues = await DocumentThread.run { FleetDocuments.issues(of: bytes, kind) }
            if let fault = issues.errors.first {
                throw WireError(.invalidParams, "the document has errors: \(fault)", path: .fleetText)
            }
            let version = FleetDocuments.version(of: bytes)
            let known = pushes.document(kind, group: group)
            let document = FleetDocument(kind: kind, version: version, pushedAt: call.daemon.ledger.now, text: text)
            try await pushes.keep(document, group: group)
            hub.publish(document, group: group)
            json.key("kind")
            json.string(kind.rawValue)
            json.key("group")
            if let group { json.string(group) } else { json.null() }
            json.key("version")
            json.string(version)
            json.key("changed")
            json.bool(known?.text.map { $0.hasSameBytes(as: text) } != true)
            json.key("issues")
            json.beginArray()
            for issue in issues.warnings { issue.write(to: &json) }
            for doubt in try doubts(of: document, group, hub, call) {
                DocumentIssue(path: "$", message: doubt).write(to: &json)
            }
            json.endArray()
        })

    /// Why machines may not get a document.
    @DaemonActor
    private static func doubts(
        of document: FleetDocument, _ group: String?, _ hub: FleetHub, _ call: Call
    ) throws(WireError) -> [String] {
        var doubts = hub.link.fault(ofBytes: document.payload.count).map { [$0] } ?? []
        guard let group else { return doubts }
        let stored = try call.daemon.ledger.lookUp { reader throws(StoreError) in try reader.machineGroups() }
        let groups = Set(stored).union(hub.peers.values.compactMap(\.group))
        if !groups.contains(group) {
            let question = Suggestion.question(for: group, among: groups.sorted())
            doubts.append("no machine is in the group '\(group)'\(question.isEmpty ? " yet" : question)")
        }
        return doubts
    }

    /// What was cleared on machines and is still here.
    @DaemonActor
    private static func waitingClears(_ call: Call) async throws(WireError) -> [WaitingClear] {
        do throws(StoreError) {
            return try await call.daemon.ledger.store.readAside { reader throws(StoreError) in
                try reader.waitingClears()
            }
        } catch {
            throw WireError(error)
        }
    }

    static let withdraw = Method(
        .fleetWithdraw, summary: "Takes a document back: machines go on with what they have of their own.",
        isForAdministrators: true,
        refusals: [.init(reason: .conflict, when: "this daemon is no hub", params: #"{"kind":"flags"}"#)],
        examples: [
            .init(
                before: [#"{"id":0,"method":"fleet.push","params":{"kind":"surveys","text":"{\"surveys\": []}"}}"#],
                params: #"{"kind":"surveys"}"#, result: #"{"withdrawn":true}"#)
        ],
        handler: .deferred { call, json throws(WireError) in
            let kind = try documentKind(call)
            let group = try group(call)
            let (hub, pushes) = try await hub(call)
            let known = pushes.document(kind, group: group)
            let document = FleetDocument(kind: kind, version: "none", pushedAt: call.daemon.ledger.now, text: nil)
            if known != nil { try await pushes.keep(document, group: group) }
            hub.publish(document, group: group)
            json.key("withdrawn")
            json.bool(known?.text != nil)
        })

    static let status = Method(
        .fleetStatus,
        summary: "Tells how it stands with the fleet: of a machine, its way to the hub; of a hub, its machines.",
        details: """
            A machine counts as connected until the broker says that it is gone, which takes it a while where the machine vanished \
            without a word; a hub with `livenessSeconds` asks it. When one stays away, and when it is back, the hub records \
            `machine.away` and `machine.back`. What a hub knows of a machine beside where its log stands is what that has told since the hub was \
            started; each tells it anew then. The logs of a machine that has had several (a new disk, one that was set back, \
            a copy of its disk that runs elsewhere) are kept apart: the second is called `kiosk-1~2`.
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
        handler: .deferred { call, json throws(WireError) in
            let page = try MachinePage(call.params)
            let desk = call.daemon.fleet
            await desk.started()
            let clears = desk.hub == nil ? [] : try await waitingClears(call)
            json.key("role")
            guard let broker = desk.settings.broker else { return json.null() }
            json.string(desk.settings.role.rawValue)
            json.key("fleet")
            json.string(desk.settings.name)
            json.key("broker")
            json.string(broker)
            json.key("state")
            json.string((desk.hub?.state ?? desk.member?.state ?? .connecting).rawValue)
            json.key("problem")
            if let problem = desk.problem { json.string(problem) } else { json.null() }
            json.key("cause")
            if let cause = desk.cause { json.string(cause.rawValue) } else { json.null() }
            switch desk.settings.role {
            case .machine: write(desk, call, to: &json)
            case .hub: try writeHub(desk, page, clears, call, to: &json)
            }
        })

    /// Which machines to tell of.
    struct MachinePage {
        let pattern: NamePattern?
        let after: String?
        let limit: Int

        init(_ params: Params) throws(WireError) {
            pattern = try params.read(.onlyMachinesNamed).map(NamePattern.init)
            after = try params.read(.after)
            limit = try params.read(.machineLimit) ?? 100
        }
    }

    // MARK: What they share

    @DaemonActor
    private static func hub(_ call: Call) async throws(WireError) -> (FleetHub, FleetPushes) {
        await call.daemon.fleet.started()
        guard let hub = call.daemon.fleet.hub, let pushes = call.daemon.fleet.pushes else {
            throw WireError(
                .conflict,
                "this daemon is not the hub of a fleet; ask the hub's, or make this one the hub (\"fleet\": {\"role\": \"hub\"})"
            )
        }
        return (hub, pushes)
    }

    @DaemonActor
    private static func documentKind(_ call: Call) throws(WireError) -> FleetDocument.Kind {
        switch try call.params.required(.fleetKind) {
        case .surveys: .surveys
        case .forms: .forms
        case .flags: .flags
        }
    }

    @DaemonActor
    private static func group(_ call: Call) throws(WireError) -> String? {
        guard let group = try call.params.read(.toGroup) else { return nil }
        guard FleetName.isValid(group) else {
            throw WireError(.invalidParams, "a group is \(FleetName.words)", path: .toGroup)
        }
        return group
    }
}
