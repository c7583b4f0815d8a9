import HarkClient
import HarkWire

/// The daemon's records of the past, in the order in which they came: sessions, showings of surveys, and events.
///
/// Of the same moment, a session comes before the showings, and these come before the events that triggered them.
struct StoredPast {
    private struct Source {
        /// The member that a line has for an element of this kind.
        let name: StaticString
        let list: PagedList
        /// The time at which the element came; nil for an element to leave out.
        let time: (JSONText) -> Timestamp?
        /// Whether all that follows is too late.
        let isBeyond: (JSONText) -> Bool
        var element: JSONText?
        var at = Timestamp.latest

        mutating func advance() throws {
            repeat { element = try list.element() } while element.map { time($0) == nil && !isBeyond($0) } ?? false
            if element.map(isBeyond) ?? false { element = nil }
            at = element.flatMap(time) ?? .latest
        }
    }

    private var sources: [Source]
    /// When the oldest event that is still there came; nil: there is none.
    let begin: Timestamp?

    /// - Parameters:
    ///   - names: The events that matter.
    ///   - since: Events that came earlier do not.
    init(_ names: [String], since: Timestamp, until: Timestamp) throws {
        var connection = try Connection()
        begin = try Self.time(after: 0, &connection)
        let first = try begin.map { $0 >= since ? 0 : try Self.sequence(before: since, &connection) } ?? 0
        let last = try Self.sequence(before: until, &connection)
        var request = Self.own(.oldest(10_000, after: first > 0 ? first : nil))
        request.filter.condition = Self.condition(names)
        request.members = ["id", "name", "timestamp", "sessionId", "properties"]
        let events = try Self.list(request)
        var own = SessionList()
        (own.machines.machine, own.limit) = (AnyJSON(.null), 1_000)
        let sessions = try PagedList(own, "sessions")
        var history = SurveyHistory()
        (history.machines.machine, history.allVersions, history.limit) = (AnyJSON(.null), true, 1_000)
        let showings = try PagedList(history, "presentations")
        sources = [
            // A person may have muted a survey at any earlier time.
            first > 0 ? try Self.refusals(before: first) : nil,
            // Sessions that had ended by then do not matter.
            Source(name: "session", list: sessions) { session in
                let times = SessionTimes(session)
                if let ended = times.endedAt, ended < since { return nil }
                return times.startedAt
            } isBeyond: {
                SessionTimes($0).startedAt.map { $0 >= until } ?? false
            },
            Source(name: "showing", list: showings) {
                ShowingPlace($0).presentationId?.time.flatMap { $0 < until ? $0 : nil }
            } isBeyond: { _ in
                false
            },
            // A clock that was ahead for a while makes some late, and not all that follows.
            Source(name: "event", list: events) { event in
                EventPlace(event).time.flatMap { $0 < until ? $0 : nil }
            } isBeyond: {
                EventPlace($0).seq.map { $0 > last } ?? false
            },
        ].compactMap(\.self)
        for place in sources.indices { try sources[place].advance() }
    }

    /// The events by which people dismissed a survey for ever, up to a number.
    private static func refusals(before last: Int64) throws -> Source {
        var request = own(.oldest(10_000))
        request.filter.condition = AnyJSON(["@name": "survey_dismissed", "for": "ever"] as JSONObject)
        request.members = ["id", "name", "timestamp", "sessionId", "properties", "source"]
        return Source(name: "event", list: try list(request)) {
            EventPlace($0).time
        } isBeyond: {
            EventPlace($0).seq.map { $0 > last } ?? false
        }
    }

    /// Calls `body` with each element as a line.
    mutating func forEachLine(_ body: (_ line: [UInt8], _ at: Timestamp) throws -> Void) throws {
        while let place = sources.indices.min(by: { sources[$0].at < sources[$1].at }),
            let element = sources[place].element
        {
            var json = JSONWriter()
            json.beginObject()
            json.key(sources[place].name)
            json.raw(element.bytes)
            json.endObject()
            json.newline()
            try body(json.bytes, sources[place].at)
            try sources[place].advance()
        }
    }

    /// On a hub, only the hub's own records: machines have survey files of their own.
    private static func own(_ page: RecordPaging) -> EventList {
        var request = EventList(page)
        request.machines.machine = AnyJSON(.null)
        return request
    }

    private static func list(_ request: EventList) throws -> PagedList {
        try PagedList(request, "events", next: "nextAfterSeq") { request, place in request.page.afterSeq = place.int }
    }

    /// A condition that events of these names meet; too many names are no condition.
    private static func condition(_ names: [String]) -> AnyJSON {
        if names.count > mostNames { return AnyJSON(["all": []] as JSONObject) }
        return AnyJSON(["any": .array(names.map { .object(["@name": .string($0)]) })] as JSONObject)
    }

    private static let mostNames = 900

    /// Returns the number of the last event that came before a time.
    private static func sequence(before bound: Timestamp, _ connection: inout Connection) throws -> Int64 {
        let newest = try connection.call(own(.newest(1)))
        guard let last = newest.value.events?.json.elements.first.flatMap({ EventPlace($0).seq }) else { return 0 }
        // Ids tell when events came, and numbers are given in that order; imports may make it start a little early.
        var (before, after) = (Int64(0), last)
        while before + 1 < after {
            let middle = before + (after - before) / 2
            let time = try time(after: middle, &connection)
            if let time, time < bound { before = middle } else { after = middle }
        }
        return before + 1
    }

    /// Returns when the first event after a number came; nil: there is none.
    private static func time(after sequence: Int64, _ connection: inout Connection) throws -> Timestamp? {
        let page = try connection.call(own(.oldest(1, after: sequence > 0 ? sequence : nil)))
        return page.value.events?.json.elements.first.flatMap { EventPlace($0).time }
    }
}

extension EventPlace {
    /// When the event came, by its id; without a time in that, when it happened.
    fileprivate var time: Timestamp? { id?.time ?? timestamp }
}
