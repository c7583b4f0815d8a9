/// The shapes of `event.*` and `subscription.cancel`.
extension MethodShape {
    package static let eventRecord = MethodShape(
        "event.record", RecordParameter.allCases.map(\.shape),
        result: RecordedEventInfo.members)

    package static let eventList = MethodShape(
        "event.list",
        [
            .optional(.onlySession), .optional(.onlyCurrentSession), .optional(.onlyUser), .optional(.onlyApp),
            .optional(.onlyEvents), .optional(.onlyWhere), .optional(.eventMembers),
            .optional(.onlyMachine), .optional(.onlyGroup), .optional(.asRecorded),
        ] + .page,
        result: EventPage.members)

    package static let eventStats = MethodShape(
        "event.stats",
        [
            .optional(.onlySession), .optional(.onlyCurrentSession), .optional(.onlyUser), .optional(.onlyApp),
            .optional(.onlyEvents), .optional(.onlyWhere), .optional(.since), .optional(.until), .optional(.groupBy),
            .optional(.valueOf), .optional(.percentiles), .optional(.distinctOf), .optional(.boundaries),
            .optional(.groupLimit), .optional(.countAfterSeq), .optional(.onlyMachine), .optional(.onlyGroup),
        ],
        result: StatisticsResult.members)

    package static let eventImport = MethodShape(
        "event.import", [.required(.sessionOfEvent), .required(.exportedEvent)],
        result: ImportedEventInfo.members)

    package static let eventClear = MethodShape(
        "event.clear",
        [
            .optional(.everything), .optional(.userToClear), .optional(.sessionToClear), .optional(.machineToClear),
            .optional(.groupToClear),
        ],
        result: ClearedRecords.members)

    package static let eventSubscribe = MethodShape(
        "event.subscribe",
        [
            .optional(.resumeAfter), .optional(.include), .optional(.onlySession), .optional(.onlyUser),
            .optional(.onlyApp), .optional(.onlyEvents), .optional(.onlyWhere), .optional(.onlyMachine),
            .optional(.onlyGroup),
        ],
        result: RecordStreamInfo.members, notifications: [.eventRecorded, .sessionStarted, .sessionEnded])

    package static let subscriptionCancel = MethodShape(
        "subscription.cancel", [.required(.subscription)],
        result: [.always("cancelled", .bool, "true; nothing of the subscription comes after this reply")])
}

extension NotificationShape {
    package static let eventRecorded = NotificationShape(
        "event", "An event was recorded", params: ToldEvent.members)
    package static let sessionStarted = NotificationShape(
        "session.started", "A session began", params: ToldSessionChange.members)
    package static let sessionEnded = NotificationShape(
        "session.ended", "A session ended", params: ToldSessionChange.members)

    /// The last notification of a subscription that the daemon ends.
    package static let subscriptionClosed = NotificationShape(
        "subscription.closed", "The stream is over",
        params: SubscriptionEnd.members)
}

/// A parameter of `event.record`. The daemon parses these in place, so a new one needs a parser there.
package enum RecordParameter: Sendable, CaseIterable {
    case name, properties, app, userId, unattended, timestamp, producer

    package var shape: MethodShape.Parameter {
        switch self {
        case .name: .required(.newEvent)
        case .properties: .optional(.properties)
        case .app: .optional(.app)
        case .userId: .optional(.userOfEvent)
        case .unattended: .optional(.unattended)
        case .timestamp: .optional(.timestamp)
        case .producer: .optional(.producer)
        }
    }
}

extension Parameter<String> {
    /// The application to ask about.
    package static var app: Parameter { Parameter("app", .string, "the application; `default` without it") }
    package static var newEvent: Parameter { Parameter("name", .string, "1 to 256 bytes") }
    package static var userOfEvent: Parameter {
        Parameter(
            "userId", .string,
            "the user whose session starts if there is none; a conflict if the current session is another user's")
    }
    package static var onlyEvents: Parameter {
        Parameter("name", .string, "only events of this name; `*` stands for any characters")
    }
    package static var machineToClear: Parameter {
        Parameter(
            "machine", .string,
            "on a hub: only records of machines of this name; alone, all of them; `*` stands for any characters")
    }
    package static var groupToClear: Parameter {
        Parameter("group", .string, "the same for machines of this group")
    }
    package static var userToClear: Parameter {
        Parameter(
            "userId", .stringOrNull, "everything of this user, as in `user.export`; null: everything anonymous")
    }
}

extension Parameter<JSONValue> {
    /// A condition, as text or JSON.
    package static var onlyWhere: Parameter {
        Parameter("where", .condition, "only events for which this condition holds: `amount > 50`, or the same as JSON")
    }
}

extension MemberType<JSONValue> {
    /// A condition as people write it, or as JSON.
    package static var condition: MemberType {
        MemberType("a condition: a string or an object", .either([.string, .object])) { value in
            switch value {
            case .string, .object: value
            default: nil
            }
        }
    }
}

extension Parameter<JSONObject> {
    package static var properties: Parameter {
        Parameter(
            "properties", .object(.properties, "an object of names and values"),
            "names and primitive values; null is left out")
    }
    package static var exportedEvent: Parameter { Parameter("event", .object, "a line of its `events.jsonl`") }
}

/// Members of imported records that have no parameter of the same name.
extension Parameter<Identifier> {
    package static var exportedId: Parameter { Parameter("id", .identifier, "it keeps this id") }
}

extension Parameter<JSONObject> {
    package static var exportedSource: Parameter { Parameter("source", .object, "who recorded it: `uid` and `pid`") }
}

extension Parameter<Int64> {
    package static var exportedUID: Parameter {
        Parameter("uid", .integer(in: 0...Int64(UInt32.max)), "the user of the machine")
    }
    package static var exportedPID: Parameter {
        Parameter("pid", .integer(in: 0...Int64(Int32.max)), "the process")
    }
}

extension Parameter<Timestamp> {
    package static var exportedStart: Parameter { Parameter("startedAt", .time, "when it began") }
    package static var exportedEnd: Parameter { Parameter("endedAt", .time, "when it ended; null: it was running") }
}

extension Parameter<Timestamp> {
    package static var timestamp: Parameter { Parameter("timestamp", .time, "when it happened; without it, now") }
}

extension Parameter<Identifier> {
    package static var onlySession: Parameter { Parameter("sessionId", .identifier, "only this session's") }
    package static var sessionOfEvent: Parameter {
        Parameter("sessionId", .identifier, "the session, imported before")
    }
    package static var sessionToClear: Parameter { Parameter("sessionId", .identifier, "one session") }
}

extension Parameter<Bool> {
    package static var unattended: Parameter {
        Parameter(
            "unattended", .bool,
            "true: recorded by a job and not by a person, so it belongs to no user, even while a user has a session; has no effect together with `userId`"
        )
    }
    package static var onlyCurrentSession: Parameter {
        Parameter("current", .bool, "true: only the current session's (of `app`)")
    }
    package static var everything: Parameter { Parameter("all", .bool, "true: everything you may see") }
}

extension Parameter<[String]> {
    package static var include: Parameter {
        let type = MemberType<[String]>.strings
        return Parameter(
            "include", MemberType(type.words, .array(MemberType<StreamContent>.word.shape), type.read),
            "`events` and `sessions`; both without it")
    }
}

extension Parameter<Int> {
    package static var subscription: Parameter { Parameter("subscription", .integer(in: 1 ... .max), "its number") }
}
