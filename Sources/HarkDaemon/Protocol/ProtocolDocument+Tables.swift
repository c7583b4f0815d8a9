import HarkCore
import HarkServer
import HarkWire

/// The tables of errors and limits.
extension ProtocolDocument {
    static var errors: String {
        """
        `error.data.reason` is a word that programs can rely on, `error.message` a sentence for people that says what to
        do, and `error.data.path`, where there is one, the JSON path of the member at fault.

        \(table(
            ["code", "reason", "when", "what to do"],
            ErrorReason.allCases.compactMap { reason in
                reason.help.map { ["\(reason.code)", "`\(reason.rawValue)`", $0.when, $0.advice] }
            }))
        """
    }

    static var limits: String {
        let socket = SocketLimits()
        func setting(_ name: String) -> String { "`limits.\(name)`" }
        return """
            Limits of the socket are settings in `harkd.json` ([configuration](reference/settings.md)); those of the values are
            fixed.

            \(table(
                ["what", "at most", "setting", "beyond it"],
                [
                    ["a line", bytes(socket.lineBytes), setting("lineBytes"), "`tooLarge`; the line is passed over"],
                    [
                        "memory for lines over \(LineBuffer.freeCapacity >> 10) KiB from the clients of one uid",
                        bytes(socket.lineBytesPerUser), setting("lineBytesPerUser"),
                        "`tooLarge`; the line is passed over. One client alone always has room",
                    ],
                    ["nesting of JSON", "\(socket.nesting) levels", setting("nesting"), "`tooLarge`"],
                    [
                        "connections of one uid", "\(socket.connectionsPerUser)", setting("connectionsPerUser"),
                        "`tooManyConnections`; the new one is closed",
                    ],
                    [
                        "output that a client has not read", bytes(socket.queuedBytes), setting("queuedBytes"),
                        "`slowReader`; the connection is closed",
                    ],
                    [
                        "output that the clients of one uid have not read", bytes(socket.queuedBytesPerUser),
                        setting("queuedBytesPerUser"), "`slowReader`; the connection that would get more output is closed",
                    ],
                    [
                        "incomplete lines and unread output of all clients; one uid may use as much as it leaves for all "
                            + "others", bytes(socket.clientBytes), setting("clientBytes"),
                        "`tooLarge`; the line is passed over. `slowReader`; the connection is closed",
                    ],
                    [
                        "subscriptions of one uid", "\(socket.subscriptionsPerUser)", setting("subscriptionsPerUser"),
                        "`tooLarge`",
                    ],
                    ["a request that begins a subscription", "\(Limits.subscriptionBytes) bytes", "", "`tooLarge`"],
                    ["a filter with `*`", "\(Limits.patternBytes) bytes", "", "`tooLarge`"],
                    ["event name", "1 to \(Limits.eventNameBytes) bytes", "", "`tooLarge`; empty: `invalidParams`"],
                    ["user id", "1 to \(Limits.userIdBytes) bytes", "", "`tooLarge`; empty: `invalidParams`"],
                    ["app", "1 to \(Limits.appBytes) bytes", "", "`tooLarge`; empty: `invalidParams`"],
                    ["key of a property", "\(Limits.propertyKeyBytes) bytes", "", "`tooLarge`"],
                    ["id of a producer", "1 to \(Limits.producerIdBytes) bytes", "", "`tooLarge`; empty: `invalidParams`"],
                    [
                        "producers of one uid, over all apps", "\(Limits.producersPerUser)", "",
                        "the producers that were silent for the longest are forgotten",
                    ],
                    ["name of a counter", "1 to \(Limits.counterNameBytes) bytes", "", "`tooLarge`; empty: `invalidParams`"],
                    ["value of a counter", "\(Limits.counterValueBytes) bytes as JSON", "", "`tooLarge`"],
                    ["counters of an app", "\(Limits.countersPerApp)", "", "`tooLarge`"],
                    [
                        "counters of one uid, over all apps",
                        "\(Limits.countersPerUser), \(bytes(Limits.counterBytesPerUser)) of names and values", "", "`tooLarge`",
                    ],
                    [
                        "executions of one uid, over all apps",
                        "\(Limits.executionsPerUser), \(bytes(Limits.executionBytesPerUser))", "", "`tooLarge`",
                    ],
                    [
                        "waiting and shown surveys of one uid",
                        "\(Limits.presentationsPerUser), \(Engine.maxWaiting) of them for one user",
                        "", "events are still recorded, but the next survey is not scheduled (`survey.explain` and the log say so)",
                    ],
                    [
                        "unfinished answers to surveys of one uid", bytes(Limits.presentationBytesPerUser), "",
                        "`tooLarge`",
                    ],
                    ["versions of the answers to one showing", "\(Limits.answerVersions)", "", "`tooLarge`"],
                    ["answers to forms and drafts of one uid", bytes(Limits.formBytesPerUser), "", "`tooLarge`"],
                    ["apps of one uid with an open session", "\(Limits.appsPerUser)", "", "`tooLarge`"],
                    ["an execution", "\(Limits.executionBytes) bytes as JSON", "", "`invalidParams`"],
                    ["counters an execution listens to", "\(Limits.executionCounters)", "", "`invalidParams`"],
                    [
                        "executions that listen to one counter of an app",
                        "a weight of \(Limits.weightPerCounter) together ([what they weigh](reference/counters.md#executions))", "",
                        "`tooLarge`",
                    ],
                    ["pending runs of an execution", "\(Execution.maxPending)", "", "further runs are dropped and counted"],
                    [
                        "waiting runs of one uid", "\(Limits.runsPerUser), \(bytes(Limits.runBytesPerUser))", "",
                        "further runs are dropped and counted",
                    ],
                ]))
            """
    }

    private static func bytes(_ count: Int) -> String {
        count % (1 << 20) == 0 ? "\(count >> 20) MiB" : "\(count) bytes"
    }
}

extension ErrorReason {
    /// The condition of the error and the advice; nil for reasons that no method uses yet.
    var help: (when: String, advice: String)? {
        switch self {
        case .parseError: ("the line is not JSON, or not UTF-8", "fix the line at the byte that the message names")
        case .invalidRequest: ("the line is JSON but no request", "fix the member in `path`")
        case .methodNotFound: ("there is no such method", "see `hello`; the message suggests a similar name")
        case .invalidParams: ("a parameter is missing, has the wrong type or a value that does not fit", "mend it")
        case .internalError: ("a fault of the daemon, or it is out of memory", "report it; trying again may help")
        case .storeUnavailable:
            (
                "data could not be stored or read, for example because the disk is full",
                "nothing was stored: try again later"
            )
        case .notFound: ("the object does not exist, or you may not see it", "look it up again")
        case .permissionDenied: ("you may not connect, or not call this method", "ask an administrator")
        case .tooLarge: ("a line, a name or a value is over its limit", "send less, or raise the limit")
        case .tooManyConnections: ("this user has too many connections", "close some; one is enough for any load")
        case .slowReader: ("too much output waits for you to read it", "connect again and read faster")
        case .conflict: ("the request contradicts the present state", "the message says what to settle first")
        case .notConfigured: ("no destination takes it", "configure one (`destinations` in harkd.json)")
        case .networkError:
            (
                "a server could not be reached",
                "nothing: the record is delivered later, unless the message says that it is not"
            )
        case .serverError: ("a server refused it; its answer is in `data.status`", "see `delivery.deadletters`")
        case .encodingFailed: ("the record cannot be put into a request", "send less")
        case .rateLimited:
            ("a server asks for fewer requests", "nothing: the record is delivered when the server accepts it")
        case .quotaExceeded: ("a server's quota is used up", "raise it, then `delivery.resume`")
        case .alreadyClosed:
            ("the survey was answered, dismissed or cancelled meanwhile", "nothing: it needs no answer any more")
        case .shuttingDown: ("the daemon is ending", "connect again once it is back")
        }
    }
}
