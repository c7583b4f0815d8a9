import HarkCore
import HarkWire

/// What a simulation is asked to do.
struct SimulationTerms: Sendable {
    /// The time that is simulated. What came before only prepares it: limits know of it.
    var since: Timestamp
    var until: Timestamp
    /// Of showings that have no real counterpart, the part that is answered (0 to 1); nil: as many as really were.
    var answered: Double?
    /// Decides by chance which ones; the same seed gives the same ones.
    var seed: UInt64 = 1

    /// Milliseconds that a showing without a real counterpart is on the screen.
    static let onScreen: Int64 = 30_000
    /// The part that is answered as long as nothing is known.
    static let usualRate = 0.3
}

/// A showing as the store holds it.
struct RealShowing: Sendable {
    let id: Identifier
    let createdAt: Timestamp
    let survey: String
    let user: UserKey
    let app: String
    let state: PresentationState
    var session: Identifier?
    var presentedAt: Timestamp?
    var closedAt: Timestamp?
    var expiresAt: Timestamp?
    /// When it was to become ready as it came about, and when it last became ready or is to.
    var plannedAt: Timestamp?
    var dueAt: Timestamp?
    /// When it was put off, and until when.
    var delays: [(at: Timestamp, until: Timestamp)] = []
    var reason: String?
    var surface: Surface?
    /// What was kept of the event.
    var event = Properties.none
    /// By question; made when it is answered, as its kinds depend on the survey.
    var answers: [(id: String, value: JSONValue)] = []

    /// Nobody saw it before this time.
    func isGone(before time: Timestamp) -> Bool { presentedAt == nil && closedAt.map { $0 < time } ?? false }

    /// Until when somebody or quiet hours have put it off; nil: nobody has.
    var putOffUntil: Timestamp? {
        guard let dueAt, let plannedAt, dueAt > plannedAt else { return nil }
        return dueAt
    }

    /// What ended it, as far as the engine does not end it by itself.
    ///
    /// - Parameter isTakenAsItWas: No limit of the file is asked about it, not even how soon it runs out.
    func end(isTakenAsItWas: Bool) -> SimulatedEnd? {
        let closing = SimulatedEnd.closed(state, reason: reason)
        return switch state {
        case .scheduled, .ready, .presented: nil
        case .answered: .answered
        case .dismissed: .dismissed(isAbandoned: reason == DismissalScope.abandoned.rawValue)
        case .expired where isTakenAsItWas, .cancelled where isTakenAsItWas: closing
        // What ran out is left to the engine, as another file may have another span.
        case .expired: closedAt.flatMap { closed in expiresAt.map { closed < $0 } } ?? true ? closing : nil
        case .cancelled: Self.ofPeople.contains(reason ?? "") ? closing : nil
        }
    }

    /// Reasons that no limit of a file gives.
    private static let ofPeople: Set<String> = ["muted", "withdrawn", "cleared", "ownInterval"]
}

enum SimulatedEnd: Sendable, Equatable {
    case answered
    case dismissed(isAbandoned: Bool)
    case closed(PresentationState, reason: String?)
}

/// An event of the log.
struct SimulatedEvent {
    let received: Timestamp
    let at: Timestamp
    let name: String
    let session: Identifier
    let properties: Properties
    /// Who recorded it, as far as that matters.
    var uid: UInt32?
}

/// A session of the log.
struct SimulatedSession {
    let id: Identifier
    let scope: Scope
    let userId: String?
    let startedAt: Timestamp
    let endedAt: Timestamp?
    /// It stands beside the current one of its scope.
    var isBeside = false
    /// What happened began it, and nobody asked for it.
    var isImplicit = false
}

/// What is to happen in a simulation by itself, earliest first; of one moment, in the order in which it was planned.
struct SimulationTimeline {
    enum Step {
        case present(Identifier)
        case end(Identifier, SimulatedEnd)
        /// It came about while another showing of its survey was put off.
        case makeRoom(RealShowing)
        /// Somebody put it off.
        case putOff(Identifier, until: Timestamp)
        /// Quiet hours begin, and what is ready in a scope waits for their end.
        case hold(Scope)
        /// It came about by something that is not in the log.
        case bringAbout(RealShowing)
        /// No event has brought it about by now.
        case giveUp(RealShowing)
        case endSession(Identifier)
    }

    private struct Entry {
        let at: Timestamp
        let number: UInt64
        let step: Step

        func comes(before other: Entry) -> Bool { (at, number) < (other.at, other.number) }
    }

    /// A binary heap.
    private var entries: [Entry] = []
    private var count: UInt64 = 0

    var earliest: Timestamp? { entries.first?.at }

    mutating func add(_ step: Step, at time: Timestamp) {
        count += 1
        entries.append(Entry(at: time, number: count, step: step))
        var place = entries.count - 1
        while place > 0, entries[place].comes(before: entries[(place - 1) / 2]) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() -> Step? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return last.step }
        entries[0] = last
        var place = 0
        while let next = [2 * place + 1, 2 * place + 2].filter({ $0 < entries.count })
            .min(by: { entries[$0].comes(before: entries[$1]) }), entries[next].comes(before: entries[place])
        {
            entries.swapAt(place, next)
            place = next
        }
        return first.step
    }
}
