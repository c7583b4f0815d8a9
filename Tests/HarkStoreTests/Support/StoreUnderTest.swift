import HarkTesting
import HarkWire

@testable import HarkCore
@testable import HarkStore

/// A store that is written and read on the test's own thread.
final class StoreUnderTest {
    let folder: TemporaryFolder
    let path: String
    private(set) var writer: StoreWriter
    private(set) var reader: StoreReader
    private(set) var unreadable = UnreadableRows()
    private var spare: TemporaryFolder?
    var watermark = Engine.Watermark()
    /// Everything that was stored, in order.
    private(set) var records: [Record] = []
    private(set) var sessions: [SessionIdentity] = []

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        path = folder.path + "/hark.db"
        writer = try StoreWriter(path: path)
        reader = try StoreReader(path: path, unreadable: unreadable)
    }

    /// Opens the file anew, and makes it anew where it is damaged, or that is wanted.
    func reopen(isRebuild: Bool = false, after body: () throws -> Void = {}) throws {
        try close()
        try body()
        if isRebuild { try StoreSwap(path).want() }
        unreadable = UnreadableRows()
        writer = try StoreWriter.open(path: path, unreadable: unreadable)
        reader = try StoreReader(path: path, unreadable: unreadable)
    }

    /// Closes the file; the one that is opened then is another.
    private func close() throws {
        let spare = try TemporaryFolder(inMemory: true)
        writer = try StoreWriter(path: spare.path + "/hark.db")
        reader = try StoreReader(path: spare.path + "/hark.db")
        self.spare = spare
    }

    /// Makes a session that is not stored yet.
    func makeSession(
        _ userId: String? = nil, uid: UInt32 = 1000, app: String = "default", startedAt: Int64 = 0
    ) -> SessionIdentity {
        watermark.lastSessionRow += 1
        let session = SessionIdentity(
            row: watermark.lastSessionRow, id: Identifier(high: 7, low: UInt64(watermark.lastSessionRow)),
            scope: Scope(uid: uid, app: app), userId: userId, startedAt: Timestamp(milliseconds: startedAt),
            metadata: Properties([("row", .integer(watermark.lastSessionRow))]), isImplicit: userId == nil)
        sessions.append(session)
        return session
    }

    /// Makes the next record of a session.
    func makeRecord(
        _ session: SessionIdentity, _ name: String = "event", kind: Record.Kind = .event, at: Int64 = 0,
        properties: Properties = .none, gap: UInt64 = 1
    ) -> Record {
        watermark.lastSequence += gap
        let record = Record(
            sequence: watermark.lastSequence, id: Identifier(high: 9, low: watermark.lastSequence),
            at: Timestamp(milliseconds: at), kind: kind, session: session,
            name: kind == .event || kind == .log ? name : "",
            source: Source(uid: session.scope.uid, pid: 42), properties: properties)
        records.append(record)
        return record
    }

    @discardableResult
    func commit(_ changes: Changes) throws -> CommitReport {
        try writer.commit(Batch(changes: changes, watermark: watermark)).get()
    }

    @discardableResult
    func commit(
        rows: [Changes.Row] = [], records: [Record] = [], upkeep: [Changes.Upkeep] = []
    ) throws -> CommitReport {
        var changes = Changes()
        changes.rows = rows
        changes.records = records
        changes.upkeep = upkeep
        return try commit(changes)
    }

    /// Stores a new session with that number of events.
    @discardableResult
    func add(
        _ userId: String? = nil, uid: UInt32 = 1000, app: String = "default", startedAt: Int64 = 0,
        endedAt: Int64? = nil, isCurrent: Bool = false, events: Int = 1, bytes: Int = 0
    ) throws -> SessionIdentity {
        let session = makeSession(userId, uid: uid, app: app, startedAt: startedAt)
        let properties =
            bytes > 0 ? Properties([("filler", .string(String(repeating: "x", count: bytes)))]) : Properties.none
        var rows = [Changes.Row.session(.insert(Session(session, endedAt: endedAt.map(Timestamp.init(milliseconds:)))))]
        if isCurrent { rows.append(.session(.setCurrent(session.scope, sessionRow: session.row))) }
        let started = [makeRecord(session, kind: .sessionStarted, at: startedAt)]
        let events = (0..<events).map { _ in makeRecord(session, at: startedAt, properties: properties) }
        try commit(rows: rows, records: started + events)
        return session
    }

    /// The sequence numbers a query finds, page after page, and the sizes of the pages.
    func walk(_ query: RecordQuery, room: Int = .max) throws -> (sequences: [UInt64], pages: [Int]) {
        var query = query
        var sequences: [UInt64] = []
        var pages: [Int] = []
        repeat {
            var count = 0
            let page = try reader.forEachRecord(query) { _, record in
                sequences.append(record.sequence)
                count += 1
                return count < room
            }
            pages.append(page.count)
            query.from = page.next ?? query.from
            if page.next == nil { break }
        } while pages.count < 10_000
        return (sequences, pages)
    }

    /// The rows of the sessions that are there for readers.
    func visible() throws -> [Int64] {
        try reader.sessions(SessionQuery(limit: 100_000)).sessions.map(\.session.identity.row)
    }

    /// Sweeps away all that is marked, piece by piece; the reports of the pieces.
    @discardableResult
    func sweep(maxBlocks: Int = 256) throws -> [CommitReport] {
        var reports: [CommitReport] = []
        while let session = try reader.removedSessions(limit: 1).first {
            reports.append(try commit(upkeep: [.sweep(sessionRow: session.row, maxBlocks: maxBlocks)]))
        }
        return reports
    }
}
