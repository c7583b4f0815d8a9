import Glibc
import HarkClient
import HarkWire

/// Looks for runs of the same name whose `hark run` is gone and has not told how they went, as after `kill -9` or a loss of power,
/// and has it recorded of each, once, that it ended unseen.
///
/// It is one half of a conversation: each reply leads to the next request. It goes from the newest back to one of which an end is
/// known; those before it were looked at by earlier runs.
struct EarlierRuns {
    static let unseen = "run.unseen"

    struct Request {
        let method: MethodShape
        let params: [UInt8]
    }

    private enum Step {
        case begin
        case starts
        case end(of: Start)
        case recording
        case over
    }

    /// A run that began.
    private struct Start {
        let seq: Int64
        let startedAt: String
        /// Of the event that told of it, as an object.
        let properties: JSONText
    }

    private let name: String
    private let app: String?
    private var step = Step.begin
    private var starts: [Start] = []

    /// How many of the newest are looked at.
    private static let most: Int64 = 16
    /// How far back they are looked for, in days: a rare name would else have all runs of other names gone through.
    static let days: Int64 = 40

    init(of name: String, app: String?) {
        self.name = name
        self.app = app
    }

    var isOver: Bool { if case .over = step { true } else { false } }

    /// What is to be asked next.
    ///
    /// - Parameter reply: what came of the request before; nil for the first.
    mutating func next(after reply: JSONText?) -> Request? {
        switch step {
        case .begin:
            step = .starts
            return list(RunRecord.begun, where: ("run", name)) { params in
                let since = Self.milliseconds(CLOCK_REALTIME) - Self.days * 86_400_000
                params.member(.since, Timestamp(milliseconds: since).description)
                params.member(.recordOrder, ListOrder.desc.rawValue)
                params.member(.recordLimit, Self.most)
            }
        case .starts:
            starts = (reply?.member("events")?.elements ?? []).compactMap(Self.gone).reversed()
            return nextStart()
        case .end(let start):
            guard reply?.member("events")?.elements.isEmpty == true else { return finish() }
            step = .recording
            return record(start)
        case .recording:
            // A run that looked before has looked at those before it as well.
            return reply?.member("duplicate")?.bool == true ? finish() : nextStart()
        case .over: return nil
        }
    }

    private mutating func finish() -> Request? {
        step = .over
        return nil
    }

    private mutating func nextStart() -> Request? {
        guard let start = starts.popLast() else { return finish() }
        step = .end(of: start)
        return list(name, where: ("startedAt", start.startedAt)) { params in
            params.member(.afterSeq, start.seq)
            params.member(.recordLimit, 1)
        }
    }

    private func list(_ event: String, where property: (String, String), _ more: (inout JSONWriter) -> Void) -> Request
    {
        Request(
            method: .eventList,
            params: JSONWriter.object { params in
                params.member(.onlyEvents, event)
                params.member(.onlyApp, app ?? "default")
                params.member(.onlyWhere, value: .object(JSONObject([(property.0, .string(property.1))])))
                more(&params)
            })
    }

    private func record(_ start: Start) -> Request {
        var properties = Array(start.properties.bytes.dropLast())
        func add(_ key: String, _ value: String) {
            if start.properties.member(named: key) == nil { properties += Array(#","\#(key)":\#(value)"#.utf8) }
        }
        add("startedSeq", String(start.seq))
        let program = start.properties.member("pid")?.int.flatMap(pid_t.init(exactly:))
        add("running", String(program.map(Self.isThere) ?? false))
        return Request(
            method: .eventRecord,
            params: JSONWriter.object { params in
                params.member(.newEvent, Self.unseen)
                params.member(.app, app)
                params.member(.unattended, true)
                params.member(.properties, raw: properties + [.closeBrace])
                // However many look at a time, it is recorded once.
                let producer = JSONObject([("id", .string("run.unseen \(start.seq)")), ("seq", .int(1))])
                params.member(.producer, value: .object(producer))
            })
    }

    /// - Returns: nil where it goes on, is somebody else's, or another machine's.
    private static func gone(_ event: JSONText) -> Start? {
        guard event.member("origin") == nil, let seq = event.member("seq")?.int,
            let properties = event.member("properties"), let startedAt = properties.member("startedAt")?.string,
            let source = event.member("source"), source.member("uid")?.int == Int64(getuid()),
            let pid = source.member("pid")?.int.flatMap(pid_t.init(exactly:)), pid != getpid(),
            let time = event.member("timestamp")?.string.flatMap(Timestamp.init(_:))
        else { return nil }
        guard !isThere(pid) || time.milliseconds < bootTime else { return nil }
        return Start(seq: seq, startedAt: startedAt, properties: properties)
    }

    private static func isThere(_ pid: pid_t) -> Bool { pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) }

    /// When the machine began to run, by its clock: a number of a process from before is another's now.
    private static var bootTime: Int64 {
        milliseconds(CLOCK_REALTIME) - milliseconds(CLOCK_BOOTTIME)
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
