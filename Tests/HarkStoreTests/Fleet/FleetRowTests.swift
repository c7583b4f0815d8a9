import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// The additions of a fleet to a store: sessions that no clear covers, and showings of surveys on other machines.
@Suite struct FleetRowTests {
    private let store: StoreUnderTest
    private static let day: Int64 = 86_400_000

    init() throws {
        store = try StoreUnderTest()
    }

    /// Stores a session that outlasts clears, with a record in it.
    private func addOwn(startedAt: Int64 = 0) throws -> SessionIdentity {
        let plain = store.makeSession(app: "hark", startedAt: startedAt)
        let own = SessionIdentity(
            row: plain.row, id: plain.id, scope: plain.scope, userId: nil, startedAt: plain.startedAt, metadata: .none,
            isImplicit: true, isForLogs: true, outlastsClears: true)
        try store.commit(
            rows: [.session(.insert(Session(own, endedAt: own.startedAt)))],
            records: [
                store.makeRecord(
                    own, kind: .clear, at: startedAt,
                    properties: ClearNotice(target: .all, uid: nil).recordProperties)
            ])
        return own
    }

    private func ownRecords() throws -> [Record] {
        var query = RecordQuery(limit: 100)
        query.kinds = [.clear]
        return try store.reader.records(query, maxBytes: .max).records
    }

    @Test(
        "no clear means the session of a clear record, whatever it says",
        arguments: [
            (Selection.Target.all, nil as UInt32?), (.all, 1000), (.user(nil), nil), (.user(nil), 1000),
            (.session(Identifier(high: 7, low: 2)), nil),
        ])
    func outlasts(_ target: Selection.Target, _ uid: UInt32?) throws {
        try store.add(nil, events: 2)
        let own = try addOwn()
        let selection = Selection(target: target, uid: uid, upToRow: 99)
        #expect(!selection.contains(own))
        #expect(try !store.reader.sessions(of: selection, limit: 9).contains(own.row))
        let report = try store.commit(upkeep: [.remove(selection)])
        try store.sweep()
        let isOther = if case .session = target { true } else { false }
        #expect(report.marked.map(\.sessions) == [isOther ? 0 : 1])
        #expect(report.marked.map(\.logSessions) == [0])
        #expect(try ownRecords().map(\.session) == [own])
        try store.reopen()
        let read = try #require(try store.reader.session(row: own.row)?.identity)
        #expect(read.outlastsClears && read.isForLogs && read.isImplicit)
        #expect(try ownRecords().compactMap { ClearNotice($0) } == [ClearNotice(target: .all, uid: nil)])
    }

    @Test("it is in no list and no count, and what it holds is no event")
    func hidden() throws {
        try store.add("ada", events: 2)
        let own = try addOwn()
        #expect(try store.visible() == [1])
        #expect(try store.reader.totals().sessions == 1)
        #expect(try store.reader.totals().events == 2)
        #expect(try store.reader.eventCount(ofSession: own.row) == 0)
        #expect(try store.walk(RecordQuery(limit: 9)).sequences == [2, 3])
        #expect(try store.reader.preview([own.row]).sessions == 0)
    }

    @Test("its age takes it away after the grace, and how many sessions there are does not")
    func retention() throws {
        let now = Timestamp(milliseconds: 100 * Self.day)
        let old = try addOwn(startedAt: 10 * Self.day)
        let fresh = try addOwn(startedAt: 99 * Self.day)
        func rows(_ policy: RetentionPolicy) throws -> [Int64] {
            try store.reader.sessions(beyond: policy, of: .everybody, now: now).rows.values.flatMap { $0 }
        }
        #expect(try rows(RetentionPolicy(maxSessionsPerUser: 1)).isEmpty)
        #expect(try rows(RetentionPolicy(maxAgeDays: 90)).isEmpty)
        #expect(try rows(RetentionPolicy(maxAgeDays: 30)) == [old.row])
        // Older than the policy wants, but not than the grace.
        #expect(try rows(RetentionPolicy(maxAgeDays: 0)) == [old.row])
        let report = try store.commit(
            upkeep: [.retire(RetentionPolicy(maxAgeDays: 30), of: .everybody, now: now)])
        #expect(report.marked.map(\.sessions) == [0])
        #expect(report.marked.map(\.logSessions) == [1])
        try store.sweep()
        #expect(try ownRecords().map(\.session) == [fresh])
    }

    @Test("records of presentations and clears are read like all others, and swept away with their session")
    func records() throws {
        let session = try store.add("ada", events: 1)
        try store.commit(records: [
            store.makeRecord(session, kind: .presentation), store.makeRecord(session),
            store.makeRecord(session, kind: .clear),
        ])
        #expect(try store.walk(RecordQuery(limit: 9)).sequences == [2, 4])
        var query = RecordQuery(limit: 9)
        query.kinds = [.presentation, .clear]
        #expect(try store.walk(query).sequences == [3, 5])
        query.session = session.id
        #expect(try store.walk(query).sequences == [3, 5])
        #expect(try store.reader.record(5)?.kind == .clear)
        #expect(try store.reader.eventIds(ofSession: session.id).ids.count == 2)
        try store.reopen()
        #expect(try store.walk(query).sequences == [3, 5])
        let marked = try store.commit(
            upkeep: [.remove(Selection(target: .session(session.id), uid: nil, upToRow: 9))]
        ).marked
        #expect(marked.map(\.events) == [2])
        try store.sweep()
        #expect(try store.walk(query).sequences.isEmpty)
        #expect(try store.writer.database.integer("SELECT count(*) FROM block") == 0)
    }

    // MARK: Presentations

    private func presentation(
        _ id: UInt64, uid: UInt32, prompt: UInt64? = nil, state: Presentation.State = .answered
    ) throws -> Presentation {
        var presentation = Presentation(
            id: Identifier(high: 1, low: id), survey: "prompt", user: UserKey(uid: uid, userId: nil), app: "default",
            origin: Identifier(high: 2, low: id), createdAt: Timestamp(milliseconds: 1), state: state,
            dueAt: Timestamp(milliseconds: 2))
        presentation.closedAt = state.isOpen ? nil : Timestamp(milliseconds: 3)
        presentation.locale = "v\(uid)"
        if let prompt {
            presentation.prompt = Prompt(
                id: Identifier(high: 3, low: prompt), asker: uid, isKept: false,
                question: try PromptQuestion(name: "prompt", title: "?", kind: .text))
        }
        return presentation
    }

    private func takeOver(_ presentations: Presentation...) throws {
        try store.commit(rows: presentations.map { .survey(.takeOver($0)) })
    }

    private func stored() throws -> [Presentation] {
        var found: [Presentation] = []
        _ = try store.reader.forEachPresentation(PresentationQuery()) { presentation, _ in found.append(presentation) }
        return found
    }

    @Test("what is taken over is there as it was, once")
    func takeOver() throws {
        let (one, two) = (try presentation(1, uid: 7), try presentation(2, uid: 7, prompt: 1))
        try takeOver(one, two, one)
        try takeOver(two)
        #expect(try stored() == [one, two])
    }

    @Test("it never changes one that is known by that id, be it open here or of another machine")
    func known() throws {
        let (open, closed) = (try presentation(1, uid: 1000, state: .ready), try presentation(2, uid: 8))
        try store.commit(rows: [.survey(.putPresentation(open))])
        try takeOver(closed)
        try takeOver(try presentation(1, uid: 7), try presentation(2, uid: 7))
        #expect(try stored() == [open, closed])
    }

    @Test("it never answers a prompt that somebody else asks")
    func prompt() throws {
        let open = try presentation(1, uid: 1000, prompt: 5, state: .ready)
        try store.commit(rows: [.survey(.putPresentation(open))])
        try takeOver(try presentation(2, uid: 7, prompt: 5))
        #expect(try stored() == [open])
        #expect(try store.reader.prompt(Identifier(high: 3, low: 5))?.state == .open)
        // On the same machine, each account that was asked has one.
        let (one, two) = (try presentation(3, uid: 7, prompt: 6), try presentation(4, uid: 7, prompt: 6))
        try takeOver(one, two)
        #expect(try stored() == [open, one, two])
    }

    @Test("of prompts that are over, as many are kept of a machine as of an account")
    func many() throws {
        let count = UInt64(PromptLimits.closedPerUser + 3)
        try store.commit(
            rows: try (1...count).map { .survey(.takeOver(try presentation($0, uid: 7, prompt: $0))) })
        #expect(try stored().count == PromptLimits.closedPerUser)
        #expect(try stored().last?.id == Identifier(high: 1, low: count))
    }
}
