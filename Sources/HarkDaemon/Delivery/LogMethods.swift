import HarkCore
import HarkDelivery
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// `log.*`: log entries for servers.
enum LogMethods {
    static let all: [Method] = [write, list, subscribe, device]

    static let write = Method(
        LogWrite.self,
        summary: "Stores a log line, and sends it to the servers that take logs as soon as that is possible.",
        details: """
            [log.list](#loglist) returns the line whether or not a destination takes it. The reply means that the line is on \
            disk; with `confirm`, that a server has accepted it. An error with `confirm` says why none has so far. After \
            `networkError`, `serverError`, `rateLimited` and `quotaExceeded`, the line is delivered later if the destination \
            keeps failed records. Without a user, the line is about the `defaultUserId` of a destination, or else about this \
            device.
            """,
        refusals: [
            .init(
                reason: .notConfigured, when: "`confirm` is given, and no destination takes it",
                params: #"{"message":"Payment failed","confirm":true}"#),
            .init(reason: .networkError, when: "with `confirm`: the server was not reached, or did not answer in time"),
            .init(reason: .serverError, when: "with `confirm`: the server refused it; `data.status` is its answer"),
            .init(reason: .encodingFailed, when: "with `confirm`: it does not fit into a request"),
            .init(reason: .rateLimited, when: "with `confirm`: the server asks for fewer requests"),
            .init(reason: .quotaExceeded, when: "with `confirm`: the server's quota is used up"),
        ],
        examples: [
            .init(
                params: """
                    {"message":"Payment failed","level":"error","userId":"user-123","metadata":\
                    {"code":"card_declined","amount":99,"basket":[1,2]}}
                    """,
                result: """
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":1,\
                    "sessionId":"0199e0f4-8c7a-7000-8000-000000000000","userId":"user-123",\
                    "destinations":[],"droppedMetadata":["basket"]}
                    """),
            .init(
                params: #"{"message":"Printer is out of paper","level":"warning"}"#,
                result: """
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":1,\
                    "sessionId":"0199e0f4-8c7a-7000-8000-000000000000",\
                    "userId":"0199e0f4-8c7a-7000-8000-0000000000dd","destinations":[]}
                    """),
            .init(
                params: #"{"message":"Paper is back","userId":"ada","producer":{"id":"printer","seq":1}}"#,
                result: """
                    {"id":"0199e0f4-8c7a-7000-8000-0000000000a1","seq":1,\
                    "sessionId":"0199e0f4-8c7a-7000-8000-000000000000","duplicate":false,"userId":"ada",\
                    "destinations":[]}
                    """),
        ],
        handler: .lasting { call, request throws(WireError) in
            let delivery = call.desk(DeliveryDesk.self)
            let (message, level) = (request.message, request.gravity)
            guard !message.isEmpty else {
                throw WireError(.invalidParams, "'message' must not be empty", path: Params.path("message"))
            }
            let (metadata, dropped) = try PropertyRules.properties(request.metadata, leavesOut: true)
            let confirming = try confirming(request, level, call)
            let destinations = delivery.destinations(forLogsOf: level)
            let scope = call.scope(of: request.app)
            if let timestamp = request.timestamp { call.warnings.texts += call.ledger.warnings(ofTime: timestamp) }
            let send = try ProducerSend.read(request.producer, in: scope)
            let written = try record(
                request, metadata, send, in: scope, owner: request.userId ?? delivery.defaultUserId, call
            ).map { written -> (receipt: Receipt, userId: String, confirmation: Confirmation?) in
                // A repeated entry was confirmed before.
                guard case .recorded(let recorded) = written.receipt else {
                    return (written.receipt, written.userId, nil)
                }
                let confirmation = confirming.map {
                    Confirmation(of: recorded.sequence, by: $0, for: call.connection, call.loop)
                }
                return (written.receipt, written.userId, confirmation)
            }
            return { json throws(WireError) in
                let written = try await written.stored().value
                try await written.confirmation?.confirmed()
                // By hand, as the reply to an event.
                written.receipt.write(isNumbered: send != nil, to: &json)
                json.key("userId")
                json.string(written.userId)
                json.key("destinations")
                json.beginArray()
                for name in destinations { json.string(name) }
                json.endArray()
                if LogEntry.cut(message) != nil {
                    json.key("truncated")
                    json.bool(true)
                }
                json.dropped(.droppedMetadata, dropped)
                if let confirming, written.confirmation != nil {
                    json.key("delivered")
                    json.string(confirming.destination.name)
                }
            }
        })

    @DaemonActor
    private static func record(
        _ request: LogWrite, _ metadata: Properties, _ send: ProducerSend?, in scope: Scope, owner: String?,
        _ call: Call
    ) throws(WireError) -> Decided<(receipt: Receipt, userId: String)> {
        let ledger = call.ledger
        do throws(WireError) {
            let named =
                if let owner { try ledger.decide { _, _, _ in owner } } else {
                    try ledger.decideDeviceId(isReset: false)
                }
            return try named.flatMap { userId throws(WireError) in
                let entry = LogEntry(
                    request.message, level: request.gravity, userId: userId, metadata: metadata)
                let need: Need = .all((send.map { [.producer($0.producer)] } ?? []) + [.scope(scope)])
                return try ledger.decide(needing: need) { engine, changes, now throws(WireError) in
                    try engine.once(send, into: &changes) { engine, changes throws(WireError) in
                        try engine.writeLog(
                            entry, in: scope, owner: owner, isUnattended: request.unattended ?? false,
                            timestamp: request.timestamp, source: call.source, now: now, into: &changes)
                    }
                }.map { ($0, entry.userId) }
            }
        } catch {
            throw error.inParams
        }
    }

    /// The courier that is to confirm an entry; nil if no confirmation is requested.
    @DaemonActor
    private static func confirming(
        _ request: LogWrite, _ level: LogEntry.Level, _ call: Call
    ) throws(WireError) -> Courier? {
        guard request.confirm == true else { return nil }
        let name = request.destination
        if let name, call.desk(DeliveryDesk.self).outlet(named: name) == nil {
            throw DeliveryMethods.notFound(name, call)
        }
        guard let courier = call.desk(DeliveryDesk.self).courier(forLogsOf: level, named: name) else {
            throw WireError(
                .notConfigured,
                "no destination takes log entries of level '\(level.rawValue)': configure one (`destinations` in "
                    + "harkd.json); nothing was stored")
        }
        let server = courier.destination as? ServerDestination
        // The key may have been put in place by now.
        server?.renewKeys()
        if let problem = server?.settings.problem {
            throw WireError(.notConfigured, "destination \(courier.destination.name): \(problem); nothing was stored")
        }
        return courier
    }

    static let device = Method(
        LogDevice.self,
        summary: "Returns the id of this device, which log entries without a user have in the place of one.",
        examples: [.init(params: "{}", result: #"{"deviceId":"0199e0f4-8c7a-7000-8000-0000000000dd"}"#)],
        handler: .write { call, request, reply throws(WireError) in
            let isReset = request.reset == true
            if isReset, !call.peer.isAdministrator {
                throw WireError(.permissionDenied, "only administrators may reset the device's id", path: "$.method")
            }
            try call.ledger.decideDeviceId(isReset: isReset).tell(in: &reply) { id, json in
                json.key("deviceId")
                json.string(id)
            }
        })
}
