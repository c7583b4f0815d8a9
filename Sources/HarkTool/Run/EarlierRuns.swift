import Glibc
import HarkClient
import HarkWire

/// Finds runs of the same name whose `hark run` is gone and has recorded no end, as after `kill -9` or a power failure,
/// and records once for each that it ended unseen.
///
/// Each reply leads to the next request. The search goes from the newest run back to one with a known end, because
/// earlier runs have already checked those before it.
struct EarlierRuns {
    static let unseen = "run.unseen"

    private enum Step {
        case begin
        case starts
        case end(of: Start)
        case recording
        case over
    }

    /// The start of a run.
    private struct Start {
        let seq: Int64
        let startedAt: String
        /// The properties of its start event, as an object.
        let properties: JSONText
    }

    private let name: String
    private let app: String?
    private var step = Step.begin
    private var starts: [Start] = []

    /// The maximum number of runs to check.
    private static let most: Int64 = 16
    /// How far back to search, in days. Without it, a rare name would mean reading all runs of other names.
    static let days: Int64 = 40

    init(of name: String, app: String?) {
        self.name = name
        self.app = app
    }

    var isOver: Bool { if case .over = step { true } else { false } }

    /// Returns the next request.
    ///
    /// - Parameter reply: The reply to the request before; nil for the first.
    mutating func next(after reply: JSONText?) -> (any WireMethod)? {
        switch step {
        case .begin:
            step = .starts
            var page = RecordPaging.newest(Self.most)
            page.since = Timestamp(milliseconds: Self.milliseconds(CLOCK_REALTIME) - Self.days * 86_400_000)
            return list(RunRecord.begun, where: ("run", name), page)
        case .starts:
            starts = Self.events(reply).compactMap(Self.gone).reversed()
            return nextStart()
        case .end(let start):
            guard let events = reply.flatMap({ EventPage($0).events }), events.json.elements.isEmpty else {
                return finish()
            }
            step = .recording
            return record(start)
        case .recording:
            // The run that recorded this end has checked those before it too.
            return reply.map { RecordedEventInfo($0).duplicate == true } == true ? finish() : nextStart()
        case .over: return nil
        }
    }

    private mutating func finish() -> (any WireMethod)? {
        step = .over
        return nil
    }

    private mutating func nextStart() -> (any WireMethod)? {
        guard let start = starts.popLast() else { return finish() }
        step = .end(of: start)
        return list(name, where: ("startedAt", start.startedAt), .oldest(1, after: start.seq))
    }

    private func list(_ event: String, where property: (String, String), _ page: RecordPaging) -> EventList {
        var request = EventList(page)
        (request.filter.name, request.filter.app) = (event, app ?? "default")
        request.filter.condition = AnyJSON(JSONObject([(property.0, .string(property.1))]))
        return request
    }

    private func record(_ start: Start) -> EventRecord {
        var properties = Array(start.properties.bytes.dropLast())
        func add(_ key: String, _ value: String) {
            if start.properties.member(named: key) == nil { properties += Array(#","\#(key)":\#(value)"#.utf8) }
        }
        add("startedSeq", String(start.seq))
        let program = RunStart(start.properties).pid.flatMap(pid_t.init(exactly:))
        add("running", String(program.map(Self.isThere) ?? false))
        var request = EventRecord(Self.unseen, AnyJSON(text: properties + [.closeBrace]), app: app)
        request.unattended = true
        // Recorded once, however many runs check at the same time.
        request.producer = AnyJSON(ProducerInfo("run.unseen \(start.seq)", 1))
        return request
    }

    /// - Returns: Nil if the run still goes on, or belongs to another user or machine.
    private static func gone(_ event: EventInfo) -> Start? {
        guard event.origin == nil, event.source.uid == Int64(getuid()),
            let pid = pid_t(exactly: event.source.pid), pid != getpid(),
            let startedAt = RunStart(event.properties.json).startedAt
        else { return nil }
        guard !isThere(pid) || event.timestamp.milliseconds < bootTime else { return nil }
        return Start(seq: event.seq, startedAt: startedAt, properties: event.properties.json)
    }

    private static func events(_ reply: JSONText?) -> [EventInfo] {
        (reply.flatMap { EventPage($0).events }?.json.elements ?? []).map { EventInfo($0) }
    }

    private static func isThere(_ pid: pid_t) -> Bool { pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) }

    /// The time of the boot: process numbers from before it are now those of others.
    private static var bootTime: Int64 {
        milliseconds(CLOCK_REALTIME) - milliseconds(CLOCK_BOOTTIME)
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
