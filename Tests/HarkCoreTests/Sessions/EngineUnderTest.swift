import HarkCore
import HarkWire

/// An engine with a clock that is moved by hand, and everything it has decided so far.
struct EngineUnderTest {
    var engine: Engine
    var changes = Changes()
    var now = Timestamp(milliseconds: 1_800_000_000_000)
    var source = Source(uid: 1000, pid: 42)
    let scope = Scope(uid: 1000)

    init(watermark: Engine.Watermark = Engine.Watermark(), retention: RetentionPolicy = RetentionPolicy()) {
        engine = Engine(watermark: watermark, retention: retention)
    }

    mutating func advance(seconds: Int64) { now = now.adding(milliseconds: seconds * 1000) }

    @discardableResult
    mutating func start(
        _ userId: String? = nil, in scope: Scope? = nil, metadata: Properties = .none
    ) throws(WireError) -> Session {
        try engine.startSession(
            scope ?? self.scope, userId: userId, metadata: metadata, source: source, now: now, into: &changes)
    }

    @discardableResult
    mutating func record(
        _ name: String, _ properties: Properties = .none, in scope: Scope? = nil, userId: String? = nil
    ) throws(WireError) -> Recorded {
        try engine.record(
            name, properties: properties, in: scope ?? self.scope, userId: userId, source: source, now: now,
            into: &changes)
    }

    @discardableResult
    mutating func end(_ scope: Scope? = nil) -> Session? {
        engine.endSession(scope ?? self.scope, source: source, now: now, into: &changes)
    }

    func current(_ scope: Scope? = nil) -> Session? { engine.sessions.current(scope ?? self.scope) }

    /// Kind and name of the records, in order.
    var story: [String] {
        changes.records.map { record in
            switch record.kind {
            case .event: record.name
            case .sessionStarted: "started \(record.session.userId ?? "anonymous")"
            case .sessionEnded: "ended \(record.session.userId ?? "anonymous")"
            case .log, .form, .profile, .presentation, .clear: "\(record.kind) \(record.name)"
            }
        }
    }

    /// The rows about sessions, in words.
    var rows: [String] {
        changes.rows.compactMap { row in
            switch row {
            case .session(.insert(let session)): "insert \(session.identity.row)"
            case .session(.end(let row, let at)): "end \(row) at \(at.milliseconds - 1_800_000_000_000)"
            case .session(.setCurrent(let scope, let row)): "current \(scope.app) \(row.map(String.init) ?? "none")"
            default: nil
            }
        }
    }
}
