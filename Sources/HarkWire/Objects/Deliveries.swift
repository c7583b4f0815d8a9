/// A lane of records to a destination.
package struct LaneInfo: WireObject {
    package var name = ""
    package var cursor: Int64 = 0
    package var pending: Int64?
    package var delivered: Int64 = 0
    package var dropped = AnyJSON(.null)

    package init() {}

    package static var title: String? { "Lane" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name)
        m("cursor", &cursor, .count)
        m("pending", orNull: &pending, .count)
        m("delivered", &delivered, .count)
        m("dropped", &dropped, .shaped(.map(.count)), "counts by reason")
    }
}

/// A destination and how delivery to it goes.
package struct DestinationInfo: WireObject {
    package var name = ""
    package var kind = ""
    package var state = ""
    package var cursor: Int64?
    package var pending: Int64?
    package var delivered: Int64?
    package var dropped: AnyJSON?
    package var deadLetters: Int64?
    package var lastError: String?
    package var retryAt: Timestamp?
    package var lanes: [LaneInfo]?

    package init() {}

    package static var title: String? { "Destination" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name)
        m("kind", &kind)
        m("state", &state, .oneOf(DestinationState.allCases.map(\.rawValue)))
        m("cursor", &cursor, .count, "for administrators, as all that follows")
        m("pending", &pending, .count)
        m("delivered", &delivered, .count)
        m("dropped", &dropped, .shaped(.map(.count)), "counts by reason")
        m("deadLetters", &deadLetters, .count)
        m("lastError", orNull: &lastError, leftOut: deadLetters == nil)
        m("retryAt", orNull: &retryAt, leftOut: deadLetters == nil)
        m("lanes", &lanes, "of delivery.status and delivery.flush")
    }
}

/// A record that a destination does not take.
package struct DeadLetterInfo: WireObject {
    package var destination = ""
    package var seq: Int64 = 0
    package var lane = ""
    package var cause = ""
    package var status: Int64?
    package var reason = ""
    package var at = Timestamp.earliest
    package var replays: Int64 = 0
    package var record: AnyJSON?

    package init() {}

    package static var title: String? { "DeadLetter" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("destination", &destination)
        m("seq", &seq, .count)
        m("lane", &lane)
        m("cause", &cause)
        m("status", orNull: &status, .whole, "of HTTP")
        m("reason", &reason)
        m("at", &at)
        m("replays", &replays, .count)
        m("record", orNull: &record, .shaped(RecordInfo.shape))
    }
}

/// The result of `delivery.status`.
package struct DeliveryState: WireObject {
    package var destinations: [DestinationInfo] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "destinations", &destinations,
            """
            each with `name`, `kind`, `state` (`idle`; `delivering`; `waiting`: for more records, or for the next try; `open`: \
            after several failures, or because the server asks for fewer requests, nothing is tried until `retryAt`; `offline`: \
            there is no network; `suspended`: until `delivery.resume`, or with `suspendUntilRestart` the next start; `off`), \
            `cursor` (everything up to this number is done with), `pending`, `delivered`, `dropped` (counts by reason: `age`, \
            `overflow`, `notKept`, `attempts`, `refused`, `tooLarge`, `removed`), `deadLetters`, `lastError`, `retryAt` and \
            `lanes`
            """)
    }
}

package struct DeliveryStatus: WireMethod {
    package typealias Result = DeliveryState
    package static let name = "delivery.status"

    package var destination: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { m.onlyDestination(&destination) }
}

package struct DeliveryFlush: WireMethod {
    package static let name = "delivery.flush"

    package var destination: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { m.onlyDestination(&destination) }

    package struct Result: WireObject {
        package var destinations: [DestinationInfo] = []

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("destinations", &destinations, "as in `delivery.status`, before this has an effect")
        }
    }
}

package struct DeliveryResume: WireMethod {
    package static let name = "delivery.resume"

    package var destination: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { m.onlyDestination(&destination) }

    package struct Result: WireObject {
        package var resumed: [String] = []

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("resumed", &resumed, "the destinations that were suspended or waiting for a next try")
        }
    }
}

package struct DeliveryDeadLetters: PagedMethod {
    package typealias Result = DeadLetterPage
    package static let name = "delivery.deadletters"

    package var destination: String?
    package var above: Int64?
    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.onlyDestination(&destination)
        m("afterSeq", &above, .count, "only letters with a higher number")
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "letters a page (100)")
    }
}

/// The result of `delivery.deadletters`.
package struct DeadLetterPage: WirePage {
    package var deadLetters: [DeadLetterInfo] = []
    package var more = false
    package var next: String?

    package init() {}

    package var items: [DeadLetterInfo] { deadLetters }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "deadLetters", &deadLetters,
            """
            each with `destination`, `seq`, `lane`, `cause` (as in `dropped`), `status` (of HTTP, or null), \
            `reason`, `at`, `replays`, and `record`, as an `http` destination gets it
            """)
        m("more", &more, "whether there are more")
        m.next(&next)
    }
}

/// Dead letters of a destination.
package struct LetterChoice: WireObject {
    package var destination = ""
    /// Their numbers; nil: all of them.
    package var numbers: [UInt64]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("destination", &destination, "the destination")
        var held = numbers.map { AnyJSON(.array($0.map { .int(Int64(clamping: $0)) })) }
        m("seqs", &held, .letters, "the numbers of the records; without it, all of them")
        numbers = held?.value?.letters
    }
}

package struct DeliveryReplay: WireMethod {
    package static let name = "delivery.replay"

    package var letters = LetterChoice()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { letters.map(&m) }

    package struct Result: WireObject {
        package var replayed: Int64 = 0

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("replayed", &replayed, .count, "how many will be tried")
        }
    }
}

package struct DeliveryDrop: WireMethod {
    package static let name = "delivery.drop"

    package var letters = LetterChoice()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { letters.map(&m) }

    package struct Result: WireObject {
        package var dropped: Int64 = 0

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("dropped", &dropped, .count, "how many were forgotten")
        }
    }
}

extension MemberMap {
    @inline(__always)
    fileprivate mutating func onlyDestination(_ name: inout String?) {
        self("destination", &name, "only this one; without it, all")
    }
}

extension MemberType<JSONValue> {
    fileprivate static var letters: MemberType {
        MemberType("an array of numbers", .array(.count)) { value in value.letters.map { _ in value } }
    }
}

extension JSONValue {
    /// The numbers of letters; nil if the value is anything else.
    fileprivate var letters: [UInt64]? {
        guard let elements = arrayValue else { return nil }
        let numbers = elements.compactMap { $0.exactInteger.flatMap(UInt64.init(exactly:)) }
        return numbers.count == elements.count ? numbers : nil
    }
}
