/// The shapes of `log.*`.
extension MethodShape {
    package static let logWrite = MethodShape(
        "log.write",
        [
            .required(.message), .optional(.level), .optional(.userOfLine), .optional(.logMetadata), .optional(.app),
            .optional(.unattended), .optional(.timeOfLine), .optional(.producer), .optional(.confirm),
            .optional(.confirmingDestination),
        ],
        result: WrittenLine.members)

    package static let logList = MethodShape(
        "log.list", filters + .page,
        result: LogPage.members)

    package static let logSubscribe = MethodShape(
        "log.subscribe", filters + [.optional(.resumeAfter)], result: RecordStreamInfo.members,
        notifications: [.logWritten])

    private static var filters: [Parameter] {
        [
            .optional(.sessionOfLines), .optional(.userOfLines), .optional(.onlyApp), .optional(.atLeast),
            .optional(.onlyMachine), .optional(.onlyGroup),
        ]
    }

    package static let logDevice = MethodShape(
        "log.device", [.optional(.resetDevice)], result: DeviceResult.members)
}

extension NotificationShape {
    package static let logWritten = NotificationShape("log", "A line was logged", params: ToldEntry.members)
}

extension Parameter<String> {
    package static var message: Parameter {
        Parameter(
            "message", .string,
            "longer than \(ParameterLimits.messageCharacters) characters, it is cut and ends in `...`")
    }
    package static var userOfLine: Parameter { Parameter("userId", .string, "the user it is about") }
    package static var confirmingDestination: Parameter {
        Parameter(
            "destination", .string,
            "with `confirm`: the destination to wait for; without it, the first SensorCore, else the first that takes logs"
        )
    }
    package static var userOfLines: Parameter {
        Parameter(
            "userId", .stringOrNull,
            "only those in sessions of this user, as with a clear; null: only in anonymous sessions")
    }
}

extension Parameter<LogLevel> {
    package static var level: Parameter {
        Parameter("level", .word, "`info` (default), `warning`, `error` or `messages`")
    }
    package static var atLeast: Parameter {
        Parameter(
            "level", .word,
            "only entries of this level or a more severe one: `info`, `warning` or `error`; `messages`: only those")
    }
}

extension Parameter<JSONObject> {
    package static var logMetadata: Parameter {
        Parameter(
            "metadata", .object,
            "names and primitive values; other values are left out, and their names are in the reply")
    }
}

extension Parameter<Timestamp> {
    package static var timeOfLine: Parameter { Parameter("timestamp", .time, "the time of the line; without it, now") }
}

extension Parameter<Bool> {
    package static var confirm: Parameter { Parameter("confirm", .bool, "true: the reply waits for a server") }
    package static var resetDevice: Parameter {
        Parameter("reset", .bool, "true: a new id takes its place from now on")
    }
}

extension Parameter<Identifier> {
    package static var sessionOfLines: Parameter {
        Parameter("sessionId", .identifier, "only those of this session")
    }
}
