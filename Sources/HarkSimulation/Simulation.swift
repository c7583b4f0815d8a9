import Glibc
import HarkCore
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Runs the engine over a log of the past, with the clock of the log: who would have been asked what, and when.
///
/// Sessions, showings and events come in the order of their times. Before each, the simulation does everything that was
/// due by then. A real showing is shown and ended at its real times. A showing without a real counterpart is shown when
/// the engine offers it. The state is in a store of its own, so it is not limited by memory; events are not kept.
/// Nothing is sent, run or announced.
final class Simulation {
    let terms: SimulationTerms
    /// The surveys whose triggers are not in the log: those with counters or a schedule. Their showings are taken from reality.
    let unrecorded: Set<ExactName>
    private let store: Store
    private let reader: StoreReader
    var engine: Engine
    var changes = Changes()
    private(set) var now = Timestamp.earliest
    var timeline = SimulationTimeline()
    /// Real showings whose event has not come yet.
    var expected: [ShowingKey: [RealShowing]] = [:]
    /// The open showings, by the engine's ids.
    var open: [Identifier: SimulatedShowing] = [:]
    /// The open showings with a real counterpart. `loose` counts the others in each scope.
    var followed: Set<Identifier> = []
    var loose: [Scope: Int] = [:]
    /// The real showing that is being created.
    var raised: RealShowing?
    var sessions: [Identifier: SimulatedSession] = [:]
    /// The current session of each scope, by its id in the log.
    var currents: [Scope: Identifier] = [:]
    /// The session for unattended events of each scope, by its id in the log.
    var unattended: [Scope: Identifier] = [:]
    /// Sessions that the daemon may have started for a showing.
    var ownSessions: Set<OwnSession> = []
    /// The latest end of a showing in each session.
    var closings: [Identifier: Timestamp] = [:]
    /// The next beginning of quiet hours, for scopes with ready showings.
    var holds: [Scope: Timestamp] = [:]
    let hasQuietHours: Bool
    /// The scopes in which a showing may be offered.
    private var touched: Set<Scope> = []
    /// The number of changed rows that were looked at.
    private var seen = 0
    var tally: SimulationTally
    /// Called with each showing of the simulated time once it has ended.
    var onShowing: (SimulatedShowing) -> Void = { _ in }

    /// The most rows that are gathered for one commit.
    private static let mostRows = 4_096
    /// How much earlier a record may be than the records before it, in milliseconds. A larger step back means that it was
    /// imported, or that the clock was set back.
    private static let mostBehind: Int64 = 60_000

    /// - Parameter folder: An empty folder for the simulation alone.
    init(_ configuration: SurveyConfiguration, _ terms: SimulationTerms, folder: String) throws(StoreError) {
        self.terms = terms
        let (surveys, others) = configuration.fromEventsAlone
        unrecorded = Set(others.map(ExactName.init))
        store = try Store(folder: folder)
        reader = try store.makeReader()
        engine = Engine(watermark: store.watermark, retention: RetentionPolicy(.none))
        engine.zone = LocalZone { LocalDay.offset(atMilliseconds: $0.milliseconds) }
        engine.setShowingClock(.machine)
        tally = SimulationTally(surveys.surveys.map(\.id), terms.since)
        hasQuietHours = surveys.hasQuietHours
        changes.tellVerdicts()
        engine.configure(surveys, now: .earliest, into: &changes)
    }

    // MARK: What comes from the log

    func take(_ event: SimulatedEvent) throws {
        let session = sessions[event.session]
        let isOfShowing = SurveyEvents.comesOfShowings(event.name)
        guard let uid = session?.scope.uid ?? (isOfShowing ? event.uid : nil) else {
            tally.withoutSession += 1
            return
        }
        guard event.received >= now.adding(milliseconds: -Self.mostBehind) else {
            tally.outOfOrder += 1
            return
        }
        try advance(to: event.received)
        guard !isOfShowing, let session else { return try mute(by: event, of: uid) }
        guard event.received >= terms.since else { return try recall(event, of: session) }
        guard event.received < terms.until else { return }
        tally.events += 1
        // An event outside a person's session was recorded by a job, and asks the person who is there.
        let isUnattended = session.isBeside
        if !isUnattended, currents[session.scope] != session.id { try begin(session) }
        try bring(.recording(event.name, in: session.scope, isUnattended: isUnattended))
        _ = try engine.record(
            event.name, properties: event.properties, in: session.scope, isUnattended: isUnattended,
            timestamp: event.at == event.received ? nil : event.at, source: session.source, now: now, into: &changes)
        for verdict in changes.takeVerdicts() { tally.add(verdict) }
        try follow()
    }

    /// Takes an event from before the simulated time. It matters only to rules about a user's history.
    private func recall(_ event: SimulatedEvent, of session: SimulatedSession) throws {
        // An event outside a person's session counts for the person who is there.
        let there = session.isBeside ? currents[session.scope].flatMap { sessions[$0] } : session
        let user = UserKey(uid: session.scope.uid, userId: there?.userId)
        try bring(.user(user))
        engine.recall(event.name, event.properties, of: user, at: event.at, now: now, into: &changes)
        try follow()
    }

    /// A person who dismisses a survey for ever is not asked it again. Other mutes are not in the log.
    private func mute(by event: SimulatedEvent, of uid: UInt32) throws {
        guard event.name.hasSameBytes(as: SurveyEvents.dismissed),
            event.properties["for"] == .string(DismissalScope.ever.rawValue),
            case .string(let survey)? = event.properties["id"]
        else { return }
        try bring(.wishes)
        _ = try engine.wish(
            .init(mutedUntil: .latest), of: WishKey(uid: uid, survey: survey), source: Source(uid: uid, pid: 0),
            now: now,
            into: &changes)
        try follow()
    }

    /// Does everything that is due by the end, and then counts the open showings.
    func finish() throws {
        try advance(to: terms.until)
        for showing in open.values { end(showing, nil) }
        open = [:]
        try flush()
    }

    /// Closes the store; its folder can go.
    func close() { store.close() }

    // MARK: Time

    func advance(to time: Timestamp) throws {
        let time = min(time, terms.until)
        while true {
            let due = engine.earliestDue ?? .latest
            let planned = timeline.earliest ?? .latest
            let next = min(due, planned)
            guard next <= time, next < .latest else { break }
            now = max(now, next)
            if due <= planned {
                try bring(.due(at: now))
                _ = engine.fire(now: now, into: &changes)
            } else if let step = timeline.removeFirst() {
                try perform(step)
            }
            try follow()
        }
        now = max(now, time)
    }

    private func perform(_ step: SimulationTimeline.Step) throws {
        switch step {
        case .present(let id): try present(id)
        case .end(let id, let end): try self.end(id, end)
        case .bringAbout(let showing): try bringAbout(showing)
        case .giveUp(let showing): giveUp(showing)
        case .endSession(let id): try endSession(id)
        case .makeRoom(let showing): try makeRoom(for: showing)
        case .putOff(let id, let until): try putOff(id, until: until)
        case .hold(let scope):
            holds[scope] = nil
            try holdWhileQuiet(in: scope)
        }
    }

    /// Looks at the decisions of the engine, lets it offer ready showings, and hands gathered rows to the store.
    func follow() throws {
        while true {
            while seen < changes.rows.count {
                let row = changes.rows[seen]
                seen += 1
                switch row {
                case .survey(.putPresentation(let presentation)):
                    note(presentation)
                    touched.insert(presentation.scope)
                case .session(.setCurrent(let scope, _)): if !scope.isUnattended { touched.insert(scope) }
                default: break
                }
            }
            // The events of a survey may trigger other surveys.
            for verdict in changes.takeVerdicts() { tally.add(verdict) }
            changes.dropRecords()
            guard let scope = touched.popFirst() else { break }
            try holdWhileQuiet(in: scope)
            try offer(in: scope)
        }
        if changes.rows.count > Self.mostRows { try flush() }
    }

    /// Shows the next showing that the engine offers and that no real person saw or passed over.
    private func offer(in scope: Scope) throws {
        guard now >= terms.since, loose[scope] != nil else { return }
        try bring(.offers(in: scope))
        guard let offered = engine.offer(in: scope, except: followed, now: now) else { return }
        try present(offered.id)
    }

    // MARK: The store

    func bring(_ need: Need) throws {
        try engine.bring(need) { lack throws(StoreError) in
            try reader.read(lack)
        }
    }

    private func flush() throws(StoreError) {
        engine.handOver(completing: &changes)
        let batch = Batch(changes: changes, watermark: engine.watermark)
        changes = Changes()
        changes.tellVerdicts()
        seen = 0
        let outcome = SimulationCommit()
        store.commit(batch) { _, result in outcome.end(result.map { _ in }) }
        try outcome.wait()
        engine.settle()
    }
}

extension SimulatedSession {
    var source: Source { Source(uid: scope.uid, pid: 0) }
}
