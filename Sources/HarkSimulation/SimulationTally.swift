import HarkCore
import HarkWire

/// What came of a simulation, in numbers.
struct SimulationTally {
    struct OfSurvey {
        /// How often it came about.
        var scheduled = 0
        var shown = 0
        /// Of the shown ones, those that have no real counterpart.
        var assumed = 0
        var answered = 0
        var dismissed = 0
        /// Shown, and neither answered nor dismissed.
        var unanswered = 0
        /// Never shown: it ran out, or nobody came.
        var unseen = 0
        /// What waits at the end of the time.
        var waiting = 0
        /// How often an event came while it waited already.
        var whileWaiting = 0
        /// How often which limit did not allow it, at the event or once its delay was over.
        var stopped: [String: Int] = [:]
        /// How often which survey came first.
        var taken: [ExactName: Int] = [:]
        /// How often it was really shown, and how often that had no counterpart in the simulation.
        var real = 0
        /// Who was asked and when, for a comparison: hashes of each showing.
        var keys: Set<UInt64> = []
    }

    struct OfUser {
        var shown = 0
        var last: Timestamp
        /// The longest time between two showings, in milliseconds; 0: there was one alone.
        var calm: Int64 = 0
    }

    private let since: Timestamp
    let ids: [String]
    private let places: [ExactName: Int]
    private(set) var surveys: [OfSurvey]
    private(set) var users: [UserKey: OfUser] = [:]
    var events = 0
    /// Events that could not be taken, as they came in no order of time, or of no session that is known.
    var outOfOrder = 0
    var withoutSession = 0
    /// What was really shown and answered so far: of each survey, and of surveys that the file does not have.
    private var past: [ExactName: (closed: Int, answered: Int)] = [:]
    private var pastOfAll = (closed: 0, answered: 0)
    /// Of surveys that the file does not have, how often they were really shown.
    private(set) var realOfOthers = 0

    init(_ ids: [String], _ since: Timestamp) {
        self.ids = ids
        self.since = since
        places = Dictionary(ids.enumerated().map { (ExactName($1), $0) }) { first, _ in first }
        surveys = Array(repeating: OfSurvey(), count: ids.count)
    }

    func of(_ survey: String) -> OfSurvey? { places[ExactName(survey)].map { surveys[$0] } }

    /// The part of real showings that was answered so far: of this survey, else of all; nil: there were none.
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

    /// - Parameter state: how it ended; nil: it has not.
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

    /// A user is asked something.
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

    /// Those who were asked most, the most asked first, `count` at most.
    func mostAsked(_ count: Int) -> [(user: UserKey, OfUser)] {
        users.sorted {
            ($1.value.shown, $0.key.userId ?? "", $0.key.uid) < ($0.value.shown, $1.key.userId ?? "", $1.key.uid)
        }.prefix(count).map { ($0.key, $0.value) }
    }
}

extension Presentation {
    /// The same for the same survey, user and cause in two simulations.
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
