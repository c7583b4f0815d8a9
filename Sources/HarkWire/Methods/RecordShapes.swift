/// Shapes shared by replies and notifications with records.
extension Shape {
    package static let event = EventInfo.shape

    package static let partOfEvent = Shape.named(
        "PartOfEvent",
        .members([
            .maybe("id", .id), .always("seq", .count), .maybe("name", .string), .maybe("timestamp", .time),
            .maybe("sessionId", .id), .maybe("userId", .string, "unless anonymous"),
            .maybe("properties", .properties), .maybe("source", SourceInfo.shape),
            .maybe("origin", OriginInfo.shape, "on a hub, of what comes from a machine"),
        ]))

    package static let logEntry = LogEntryInfo.shape

    /// A record as sent to webhooks.
    package static let record = RecordInfo.shape
}

extension Shape.Member {
    package static let droppedProperties = maybe("droppedProperties", .strings, "keys that were null, and left out")
    package static let droppedMetadata = maybe("droppedMetadata", .strings, "keys whose values were left out")
}

extension [MethodShape.Parameter] {
    /// The parameters for paging lists of records.
    static var page: [MethodShape.Parameter] {
        [
            .optional(.since), .optional(.until), .optional(.recordOrder), .optional(.afterSeq), .optional(.beforeSeq),
            .optional(.recordLimit), .optional(.recordForm),
        ]
    }
}

extension Parameter<Timestamp> {
    package static var since: Parameter {
        Parameter("since", .time, "only those whose `timestamp` is not before this time")
    }
    package static var until: Parameter {
        Parameter("until", .time, "only those whose `timestamp` is before this time")
    }
}

extension Parameter<ListOrder> {
    package static var recordOrder: Parameter {
        Parameter(
            "order", .word, "`asc` (default): in the order in which they were received, or `desc`: the newest first")
    }
}

extension Parameter<Int64> {
    package static var afterSeq: Parameter {
        Parameter("afterSeq", .integer(in: 0 ... .max), "with `asc`: only those after this number")
    }
    package static var countAfterSeq: Parameter {
        Parameter("afterSeq", .integer(in: 0 ... .max), "only those after this number: the `seq` of an earlier answer")
    }
    package static var beforeSeq: Parameter {
        Parameter("beforeSeq", .integer(in: 0 ... .max), "with `desc`: only those before this number")
    }
    package static var resumeAfter: Parameter {
        Parameter("afterSeq", .integer(in: 0 ... .max), "resume after this number; without it, from now on")
    }
    package static var producerSeq: Parameter {
        Parameter("seq", .integer(in: 1 ... .max), "grows with each send of that producer")
    }
}

extension Parameter<Int> {
    package static var recordLimit: Parameter { Parameter("limit", .integer(in: 1...10_000), "how many a page (1000)") }
}

extension Parameter<Bool> {
    package static var asRecorded: Parameter {
        Parameter(
            "asRecorded", .bool,
            "true: records of a machine as that machine returns them, with their `seq` there and without `origin`")
    }
}

extension Parameter<RecordForm> {
    package static var recordForm: Parameter {
        Parameter("as", .word, "`objects` (default), or `lines`: each as a string with one line of JSON")
    }
}

extension Parameter<EventMembers> {
    package static var eventMembers: Parameter {
        let names = EventMembers.names.map { "'\($0)'" }.joined(separator: ", ")
        let type = MemberType("an array of \(names)", .strings) { value -> EventMembers? in
            guard let elements = value.arrayValue, elements.count <= 64 else { return nil }
            let members = elements.compactMap { $0.stringValue.flatMap { EventMembers(named: $0) } }
            return members.count == elements.count ? EventMembers(members) : nil
        }
        return Parameter(
            "members", type, "only these members of each event, and `seq`; others are not sent")
    }
}

extension Parameter<JSONObject> {
    /// For methods that record repeated requests only once.
    package static var producer: Parameter {
        Parameter(
            "producer",
            .object(.members([.always(.producerId), .always(.producerSeq)]), "an object with 'id' and 'seq'"),
            "the sender's `id` (1 to \(ParameterLimits.producerIdBytes) bytes) and its number `seq` for this record (at least "
                + "1); see [Sending again](#sending-again)")
    }
}

extension Parameter<String> {
    package static var producerId: Parameter {
        Parameter("id", .string, "the sender: 1 to \(ParameterLimits.producerIdBytes) bytes")
    }
}
