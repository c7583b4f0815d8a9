import HarkCore
import HarkDelivery
import HarkSystem
import HarkWire

/// `log.*`: lines for the servers' logs.
enum LogMethods {
    static let all: [Method] = [write, list, subscribe, device]

    static let write = Method(
        name: "log.write",
        summary: "Keeps a line of log, and sends it to the servers that take logs when that can be done.",
        details: """
            The line can be read with [log.list](#loglist) whether or not a destination takes it. The reply means that the line is on disk; with `confirm`, that a server has accepted it. An error with \
            `confirm` says why none has so far: `networkError`, `serverError`, `rateLimited` and `quotaExceeded` leave \
            the line to be delivered later, as far as the destination keeps what fails. Where no user is named, the line \
            is about the `defaultUserId` of a destination, else about this device.
            """,
        parameters: [
            .init(
                name: "message", type: .string, isRequired: true,
                meaning: "longer than \(LogEntry.maxMessageCharacters) characters, it is cut and ends in `...`"),
            .init(name: "level", type: .level, meaning: "`info` (default), `warning`, `error` or `messages`"),
            .init(name: "userId", type: .string, meaning: "whom it is about"),
            .init(
                name: "metadata", type: .object,
                meaning: "names and primitive values; other values are left out, and named in the reply"),
            .init(name: "app", type: .string, meaning: "which application; `default` without it"),
            .init(name: "timestamp", type: .time, meaning: "when it was; without it, now"),
            ProducerSend.parameter,
            .init(name: "confirm", type: .bool, meaning: "true: the reply waits for a server"),
            .init(
                name: "destination", type: .string,
                meaning: "with `confirm`: which one; without it, the first that is a SensorCore, else the first that "
                    + "takes logs"),
        ],
        result: ProducerSend.result("the line", in: "the session it lies in") + [
            .init(name: "userId", type: .string, meaning: "whom it is about"),
            .init(
                name: "destinations", type: .strings,
                meaning: "the destinations that it goes to; empty: it is kept here, and that is all"),
            .init(name: "truncated", type: .bool, isOptional: true, meaning: "true: the message was cut"),
            .init(
                name: "droppedMetadata", type: .strings, isOptional: true, meaning: "keys whose values were left out"),
            .init(
                name: "delivered", type: .string, isOptional: true,
                meaning: "with `confirm`: the destination that accepted it"),
        ],
        refusals: [
            .init(
                reason: .notConfigured, when: "`confirm` is given, and no destination takes it",
                params: #"{"message":"Payment failed","confirm":true}"#),
            .init(reason: .networkError, when: "with `confirm`: the server was not reached, or not in time"),
            .init(reason: .serverError, when: "with `confirm`: the server refused; `data.status` is its answer"),
            .init(reason: .encodingFailed, when: "with `confirm`: it does not fit into a request"),
            .init(reason: .rateLimited, when: "with `confirm`: the server wants less"),
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
        handler: .lasting { call throws(WireError) in
            let daemon = call.daemon
            let word = try call.params.choice("level", of: LogEntry.Level.allCases.map(\.rawValue))
            let level = word.flatMap(LogEntry.Level.init) ?? .info
            let message = try call.params.required("message", .string)
            guard !message.isEmpty else {
                throw WireError(.invalidParams, "'message' must not be empty", path: Params.path("message"))
            }
            let (metadata, dropped) = try metadata(call.params)
            let named = try call.params.string("userId")
            let owner = named ?? daemon.delivery.defaultUserId
            let confirming = try confirming(call, level)
            let destinations = daemon.delivery.destinations(forLogsOf: level)
            let scope = try call.scope()
            let timestamp = try call.params.time("timestamp")
            let send = try ProducerSend.read(call.params, in: scope)
            let written = try record(
                message, level, metadata, timestamp, send, in: scope, owner: owner, call
            ).map { written -> (receipt: Receipt, userId: String, confirmation: Confirmation?) in
                // What was recorded before has had its confirmation.
                guard case .recorded(let recorded) = written.receipt else {
                    return (written.receipt, written.userId, nil)
                }
                let confirmation = confirming.map { Confirmation(of: recorded.sequence, by: $0, daemon.loop) }
                return (written.receipt, written.userId, confirmation)
            }
            return { json throws(WireError) in
                let written = try await written.stored().value
                try await written.confirmation?.wait()
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
                if !dropped.isEmpty {
                    json.key("droppedMetadata")
                    json.beginArray()
                    for key in dropped { json.string(key) }
                    json.endArray()
                }
                if let confirming, written.confirmation != nil {
                    json.key("delivered")
                    json.string(confirming.destination.name)
                }
            }
        })

    @DaemonActor
    private static func record(
        _ message: String, _ level: LogEntry.Level, _ metadata: Properties, _ timestamp: Timestamp?,
        _ send: ProducerSend?, in scope: Scope, owner: String?, _ call: Call
    ) throws(WireError) -> Decided<(receipt: Receipt, userId: String)> {
        let ledger = call.daemon.ledger
        do throws(WireError) {
            let named =
                if let owner { try ledger.decide { _, _, _ in owner } } else {
                    try ledger.decideDeviceId(isReset: false)
                }
            return try named.flatMap { userId throws(WireError) in
                let entry = LogEntry(message, level: level, userId: userId, metadata: metadata)
                return try ledger.decideOnce(send, touching: scope) { engine, changes, now throws(WireError) in
                    try engine.writeLog(
                        entry, in: scope, owner: owner, timestamp: timestamp, source: call.source, now: now,
                        into: &changes)
                }.map { ($0, entry.userId) }
            }
        } catch {
            throw error.inParams
        }
    }

    /// The values that can be kept, and the keys of those that cannot.
    private static func metadata(_ params: Params) throws(WireError) -> (Properties, dropped: [String]) {
        guard let members = try params.object("metadata") else { return (.none, []) }
        var properties = Properties()
        var dropped: [String] = []
        for member in members {
            switch member.value {
            case .null, .array, .object: dropped.append(member.key)
            default:
                let path = "\(Params.path("metadata")).\(member.key)"
                properties.append(member.key, try PropertyRules.value(member.value, key: member.key, path: path))
            }
        }
        return (properties, dropped)
    }

    /// Who is to confirm an entry; nil when nobody is asked to.
    @DaemonActor
    private static func confirming(_ call: Call, _ level: LogEntry.Level) throws(WireError) -> Courier? {
        let name = try call.params.string("destination")
        guard try call.params.bool("confirm") == true else { return nil }
        if let name, call.daemon.delivery.outlet(named: name) == nil {
            throw DeliveryMethods.notFound(name, call)
        }
        guard let courier = call.daemon.delivery.courier(forLogsOf: level, named: name) else {
            throw WireError(
                .notConfigured,
                "no destination takes log entries of level '\(level.rawValue)': configure one (`destinations` in "
                    + "harkd.json); nothing was stored")
        }
        let server = courier.destination as? ServerDestination
        // The key may be in place by now.
        server?.renewKeys()
        if let problem = server?.settings.problem {
            throw WireError(.notConfigured, "destination \(courier.destination.name): \(problem); nothing was stored")
        }
        return courier
    }

    static let device = Method(
        name: "log.device", summary: "Tells the id of this device, which log entries bear that name no user.",
        parameters: [.init(name: "reset", type: .bool, meaning: "true: a new id takes its place from now on")],
        result: [.init(name: "deviceId", type: .id, meaning: "a UUID")],
        examples: [.init(params: "{}", result: #"{"deviceId":"0199e0f4-8c7a-7000-8000-0000000000dd"}"#)],
        handler: .write { call, reply throws(WireError) in
            let isReset = try call.params.bool("reset") == true
            if isReset, !call.peer.isAdministrator {
                throw WireError(.permissionDenied, "only administrators may reset the device's id", path: "$.method")
            }
            try call.daemon.ledger.decideDeviceId(isReset: isReset).tell(in: &reply) { id, json in
                json.key("deviceId")
                json.string(id)
            }
        })
}
