/// The params of `event.*` and `subscription.cancel`.

/// The daemon reads it by hand (`RecordOrderReader`), as it comes a hundred thousand times a second.
package struct EventRecord: WireMethod {
    package typealias Result = RecordedEventInfo
    package static let name = "event.record"

    package var event = ""
    package var properties: AnyJSON?
    package var app: String?
    package var userId: String?
    package var unattended: Bool?
    package var timestamp: String?
    package var producer: AnyJSON?

    package init() {}

    package init(_ event: String, _ properties: AnyJSON? = nil, app: String? = nil) {
        (self.event, self.properties, self.app) = (event, properties, app)
    }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &event, "1 to 256 bytes")
        m("properties", &properties, .eventProperties, "names and primitive values; null is left out")
        m.whichApp(&app)
        m(
            "userId", &userId,
            "the user whose session starts if there is none; a conflict if the current session is another user's")
        m.unattended(&unattended)
        m("timestamp", &timestamp, .timeText, "when it happened; without it, now")
        m.producer(&producer)
    }
}

package struct EventList: WireMethod {
    package typealias Result = EventPage
    package static let name = "event.list"

    package var filter = EventFilter()
    /// Names of `EventMembers`.
    package var members: [String]?
    package var machines = MachineChoice()
    package var asRecorded: Bool?
    package var page = RecordPaging()

    package init() {}

    package init(_ page: RecordPaging) { self.page = page }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        filter.map(&m)
        m(
            "members", &members, .eventMembers,
            "only these members of each event, and `seq`; others are not sent")
        machines.map(&m)
        m(
            "asRecorded", &asRecorded,
            "true: records of a machine as that machine returns them, with their `seq` there and without `origin`")
        page.map(&m)
    }
}

/// The daemon reads it by hand, as exports have millions of events.
package struct EventImport: WireMethod {
    package typealias Result = ImportedEventInfo
    package static let name = "event.import"

    package var session = ""
    package var event = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("sessionId", &session, .id, "the session, imported before")
        m("event", &event, .anObject(.object), "a line of its `events.jsonl`")
    }
}

package struct EventClear: WireMethod {
    package typealias Result = ClearedRecords
    package static let name = "event.clear"

    package var everything: Bool?
    package var user = UserChoice.unsaid
    package var session: String?
    package var machine: String?
    package var group: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("all", &everything, "true: everything you may see")
        m("userId", &user, "everything of this user, as in `user.export`; null: everything anonymous")
        m("sessionId", &session, .id, "one session")
        m(
            "machine", &machine,
            "on a hub: only records of machines of this name; alone, all of them; `*` stands for any characters")
        m("group", &group, "the same for machines of this group")
    }
}

package struct EventSubscribe: WireMethod {
    package typealias Result = RecordStreamInfo
    package static let name = "event.subscribe"
    package static var notifications: [NotificationShape] { [.eventRecorded, .sessionStarted, .sessionEnded] }

    package var afterSeq: Int64?
    /// Words of `StreamContent`.
    package var include: [String]?
    package var filter = EventFilter()
    package var machines = MachineChoice()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.resumeAfter(&afterSeq)
        m("include", &include, .streamContents, "`events` and `sessions`; both without it")
        filter.mapOfStream(&m)
        machines.map(&m)
    }
}

package struct SubscriptionCancel: WireMethod {
    package typealias Result = SubscriptionCancelled
    package static let name = "subscription.cancel"

    package var subscription: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("subscription", &subscription, .integer(in: 1 ... .max), "its number")
    }
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

extension MemberType<String> {
    /// A time, as a string.
    fileprivate static var timeText: MemberType {
        let type = MemberType<Timestamp>.time
        return MemberType(type.words, type.shape) { value in type.read(value) == nil ? nil : value.stringValue }
    }
}

extension MemberType<[String]> {
    fileprivate static var eventMembers: MemberType {
        let names = EventMembers.names.map { "'\($0)'" }.joined(separator: ", ")
        return MemberType("an array of \(names)", .strings) { value in
            strings.read(value).flatMap { words in
                words.count <= 64 && words.allSatisfy { EventMembers(named: $0) != nil } ? words : nil
            }
        }
    }

    fileprivate static var streamContents: MemberType {
        let type = MemberType<[String]>.strings
        return MemberType(type.words, .array(MemberType<StreamContent>.word.shape), type.read)
    }
}
