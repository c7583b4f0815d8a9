import HarkCore
import HarkWire

/// The results of a simulation, in numbers.
struct SimulationTally {
    struct OfSurvey {
        /// The number of showings that were scheduled.
        var scheduled = 0
        var shown = 0
        /// The number of shown ones without a real counterpart.
        var assumed = 0
        var answered = 0
        var dismissed = 0
        /// The number of showings that were shown, and neither answered nor dismissed.
        var unanswered = 0
        /// The number of showings that expired or ended before anybody saw them.
        var unseen = 0
        /// The number of showings that still wait at the end of the simulated time.
        var waiting = 0
        /// The number of events that came while a showing of the survey waited.
        var whileWaiting = 0
        /// The number of times each limit stopped the survey, at the event or at the end of its delay.
        var stopped: [String: Int] = [:]
        /// The number of times each other survey came first.
        var taken: [ExactName: Int] = [:]
        /// The number of real showings, and the number of those without a counterpart in the simulation.
        var real = 0
        /// A hash of each showing's user and cause, for comparisons.
        var keys: Set<UInt64> = []
    }

    struct OfUser {
        var shown = 0
        var last: Timestamp
        /// The longest time between two showings, in milliseconds; 0 if there was only one.
        var calm: Int64 = 0
    }

    private let since: Timestamp
    let ids: [String]
    private let places: [ExactName: Int]
    private(set) var surveys: [OfSurvey]
    private(set) var users: [UserKey: OfUser] = [:]
    var events = 0
    /// The number of events that could not be taken: they were out of order, or their session is unknown.
    var outOfOrder = 0
    var withoutSession = 0
    /// The real showings so far, and the answered ones, for each survey: also for surveys that the file does not have.
    private var past: [ExactName: (closed: Int, answered: Int)] = [:]
    private var pastOfAll = (closed: 0, answered: 0)
    /// The number of real showings of surveys that the file does not have.
    private(set) var realOfOthers = 0

    init(_ ids: [String], _ since: Timestamp) {
        self.ids = ids
        self.since = since
        places = Dictionary(ids.enumerated().map { (ExactName($1), $0) }) { first, _ in first }
        surveys = Array(repeating: OfSurvey(), count: ids.count)
    }

    func of(_ survey: String) -> OfSurvey? { places[ExactName(survey)].map { surveys[$0] } }

    /// The share of the real showings so far that were answered: of this survey, or else of all; nil if there were none.
    func rate(of survey: String) -> Double? {
        let (closed, answered) = past[ExactName(survey)] ?? pastOfAll
        return closed > 0 ? Double(answered) / Double(closed) : nil
    }

    mutating func noteReal(_ showing: RealShowing, in range: Range<Timestamp>) {
        guard let presented = showing.presentedAt else { return }
        if !showing.state.isOpen {
            let answered = showing.state == .answered ? 1 : 0
            let before = past[ExactName(showing.survey)] ?? (0, 0)
            past[ExactName(showing.survey)] = (before.closed + 1, before.answered + answered)
            pastOfAll = (pastOfAll.closed + 1, pastOfAll.answered + answered)
        }
        guard range.contains(presented) else { return }
        if let place = places[ExactName(showing.survey)] { surveys[place].real += 1 } else { realOfOthers += 1 }
    }

    mutating func add(_ verdict: SurveyVerdict) {
        guard let place = places[ExactName(verdict.survey)] else { return }
        switch verdict.outcome {
        case .scheduled: surveys[place].scheduled += 1
        case .waits: surveys[place].whileWaiting += 1
        case .stopped(let check): surveys[place].stopped[check.rawValue, default: 0] += 1
        case .turnTaken(let other): surveys[place].taken[ExactName(other), default: 0] += 1
        }
    }

    /// - Parameter state: The state in which it ended; nil if it has not ended.
    mutating func add(_ showing: SimulatedShowing, _ state: PresentationState?) {
        let presentation = showing.presentation
        guard let place = places[ExactName(presentation.survey)] else { return }
        let isOfRange = presentation.createdAt >= since
        guard let presented = presentation.presentedAt else {
            guard isOfRange || state == nil else { return }
            if state == nil {
                surveys[place].waiting += 1
            } else if state == .cancelled, let reason = presentation.reason {
                surveys[place].stopped[reason, default: 0] += 1
            } else {
                surveys[place].unseen += 1
            }
            return
        }
        guard presented >= since else { return }
        surveys[place].shown += 1
        if showing.real == nil { surveys[place].assumed += 1 }
        switch state {
        case .answered?: surveys[place].answered += 1
        case .dismissed?: surveys[place].dismissed += 1
        default: surveys[place].unanswered += 1
        }
        surveys[place].keys.insert(presentation.keyForComparison)
    }

    /// Counts a showing to a user.
    mutating func note(_ user: UserKey, at time: Timestamp) {
        guard var known = users[user] else {
            users[user] = OfUser(shown: 1, last: time)
            return
        }
        known.shown += 1
        known.calm = max(known.calm, time.milliseconds - known.last.milliseconds)
        known.last = time
        users[user] = known
    }

    /// The users with the most showings, most first, at most `count` of them.
    func mostAsked(_ count: Int) -> [(user: UserKey, OfUser)] {
        users.sorted {
            ($1.value.shown, $0.key.userId ?? "", $0.key.uid) < ($0.value.shown, $1.key.userId ?? "", $1.key.uid)
        }.prefix(count).map { ($0.key, $0.value) }
    }
}

extension Presentation {
    /// Equal for showings with the same survey, user and cause in two simulations.
    fileprivate var keyForComparison: UInt64 {
        var hash = StableHash()
        for byte in (user.userId ?? "").utf8 { hash.mix(byte) }
        hash.mix(0 as UInt8)
        for byte in app.utf8 { hash.mix(byte) }
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            hash.mix(UInt8(truncatingIfNeeded: UInt64(user.uid) &* 31 >> shift))
            hash.mix(UInt8(truncatingIfNeeded: UInt64(bitPattern: createdAt.milliseconds) >> shift))
        }
        return hash.value
    }
}
