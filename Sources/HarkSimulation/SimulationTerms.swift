import HarkCore
import HarkWire

/// The terms of a simulation.
struct SimulationTerms: Sendable {
    /// The start of the simulated time. Earlier records only prepare it, since limits count them.
    var since: Timestamp
    var until: Timestamp
    /// The share of showings without a real counterpart that is answered (0 to 1); nil for the real share.
    var answered: Double?
    /// Selects those at random. The same seed selects the same ones.
    var seed: UInt64 = 1

    /// How long a showing without a real counterpart is on the screen, in milliseconds.
    static let onScreen: Int64 = 30_000
    /// The share that is answered as long as no real showing is known.
    static let usualRate = 0.3
}

/// A showing, from the store.
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
    /// The time at which it was to become ready, as first planned and as last planned.
    var plannedAt: Timestamp?
    var dueAt: Timestamp?
    /// The times at which it was put off, and until when.
    var delays: [(at: Timestamp, until: Timestamp)] = []
    var reason: String?
    var surface: Surface?
    /// The kept properties of the event.
    var event = Properties.none
    /// The answers by question. They are converted when the showing is answered, as that depends on the survey's questions.
    var answers: [(id: String, value: JSONValue)] = []

    /// Whether it ended before this time and was never shown.
    func isGone(before time: Timestamp) -> Bool { presentedAt == nil && closedAt.map { $0 < time } ?? false }

    /// The time until which a person or quiet hours have put it off; nil if nobody has.
    var putOffUntil: Timestamp? {
        guard let dueAt, let plannedAt, dueAt > plannedAt else { return nil }
        return dueAt
    }

    /// The real end, unless the engine ends it by itself.
    ///
    /// - Parameter isTakenAsItWas: Whether the limits of the file do not apply, expiry included.
    func end(isTakenAsItWas: Bool) -> SimulatedEnd? {
        let closing = SimulatedEnd.closed(state, reason: reason)
        return switch state {
        case .scheduled, .ready, .presented: nil
        case .answered: .answered
        case .dismissed: .dismissed(isAbandoned: reason == DismissalScope.abandoned.rawValue)
        case .expired where isTakenAsItWas, .cancelled where isTakenAsItWas: closing
        // The engine decides about expiry, as another file may have another time for it.
        case .expired: closedAt.flatMap { closed in expiresAt.map { closed < $0 } } ?? true ? closing : nil
        case .cancelled: Self.ofPeople.contains(reason ?? "") ? closing : nil
        }
    }

    /// Reasons that come from people, and not from limits of a file.
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
    /// The account that recorded it, if that matters.
    var uid: UInt32?
}

/// A session of the log.
struct SimulatedSession {
    let id: Identifier
    let scope: Scope
    let userId: String?
    let startedAt: Timestamp
    let endedAt: Timestamp?
    /// Whether it is the session for unattended events, next to the current one of its scope.
    var isBeside = false
    /// Whether an event began it, and no program asked for it.
    var isImplicit = false
}

/// The planned steps of a simulation, the earliest first. Steps of the same time keep the order of planning.
struct SimulationTimeline {
    enum Step {
        case present(Identifier)
        case end(Identifier, SimulatedEnd)
        /// The showing came about while another showing of its survey was put off.
        case makeRoom(RealShowing)
        /// A person puts it off.
        case putOff(Identifier, until: Timestamp)
        /// Quiet hours begin, and ready showings of a scope wait for their end.
        case hold(Scope)
        /// Creates a showing whose trigger is not in the log.
        case bringAbout(RealShowing)
        /// Gives up waiting for the event of a showing.
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
