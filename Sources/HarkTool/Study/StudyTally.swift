import HarkClient
import HarkWire

/// The outcomes of the prompts of a survey with a schedule, by participant.
struct StudyTally {
    /// The outcome of one prompt.
    enum Fate: Equatable {
        case answered
        /// It came to the person and was not answered.
        case ignored
        /// It never came to the person.
        case missed
        /// The person had paused or no longer took part.
        case excused
        /// It can still be answered.
        case open
    }

    struct Participant {
        let user: String?
        let machine: String?
        let group: String?
        let uid: Int64?
        /// All prompts whose time has come, `open` and `excused` ones included.
        var planned = 0
        var open = 0
        var excused = 0
        /// Prompts that came to the person, answered or not, without `open` and `excused` ones.
        var delivered = 0
        var answered = 0
        /// How many prompts were not answered, by reason.
        var reasons: [String: Int] = [:]
        /// Seconds from the notification to opening it, for answered prompts.
        var latencies: [Double] = []
        /// Seconds for which the questions of answered prompts were on the screen.
        var durations: [Double] = []
        var sameAnswers = 0
        /// The outcomes of prompts by day, in the order of the list of showings.
        var days: [(name: String, fates: [Fate])] = []

        /// The number of prompts that compliance is a share of.
        var expected: Int { planned - excused - open }
        func fast(below limit: Double?) -> Int { limit.map { limit in durations.count { $0 < limit } } ?? 0 }
    }

    let survey: String
    private(set) var participants: [Participant] = []
    private var places: [String: Int] = [:]
    /// The ids of the questions that take a number or a single choice.
    private var scales: Set<String> = []

    private static let excusing: Set<String> = ["paused", "left", "surveyRemoved", "cleared"]
    /// The least number of scales that must be answered alike to count as the same answer.
    private static let fewestScales = 3

    init(survey: String) { self.survey = survey }

    init(_ survey: String, _ arguments: Arguments, _ connection: inout Connection) throws {
        self.survey = survey
        let machines = MachineScope(arguments)
        let (since, until) = try TimeArgument.range(arguments)
        var definitions = SurveyDefinitions()
        (definitions.surveyId, definitions.machines) = (survey, machines.choice)
        let asked = try SurveyVersions(definitions, &connection)
        scales = Set(asked.questions.filter { $0.isNumber || $0.isChoice && !$0.isMultiple }.map(\.id))
        var request = SurveyHistory()
        (request.surveyId, request.machines, request.limit) = (survey, machines.choice, 1_000)
        try connection.pages(request) { reply in
            for showing in reply.value.presentations.json.elements {
                add(PresentationInfo(showing), since: since, until: until)
            }
            return true
        }
        participants.sort { ($0.machine ?? "", $0.user ?? "") < ($1.machine ?? "", $1.user ?? "") }
    }

    /// Counts a showing if it is a prompt of a schedule that was planned in this time.
    mutating func add(_ showing: PresentationInfo, since: Timestamp? = nil, until: Timestamp? = nil) {
        guard let times = showing.times, times.occasion != nil else { return }
        if since != nil || until != nil {
            guard let planned = times.plannedAt, planned >= since ?? .earliest, until.map({ planned < $0 }) ?? true
            else { return }
        }
        let place = place(of: showing, group: times.studyGroup)
        let fate = fate(of: showing, times)
        participants[place].planned += 1
        let wasDelivered = times.notifiedAt != nil || times.openedAt != nil || fate == .answered
        if wasDelivered, fate != .excused, fate != .open { participants[place].delivered += 1 }
        switch fate {
        case .open: participants[place].open += 1
        case .excused: participants[place].excused += 1
        case .answered: participants[place].answered += 1
        case .ignored, .missed:
            let reason = showing.reason ?? showing.state
            participants[place].reasons[reason, default: 0] += 1
        }
        if fate == .answered {
            if let notified = times.notifiedAt, let opened = times.openedAt {
                participants[place].latencies.append(Double(opened.milliseconds - notified.milliseconds) / 1_000)
            }
            if let seconds = times.seconds { participants[place].durations.append(seconds) }
            if hasSameAnswers(showing) { participants[place].sameAnswers += 1 }
        }
        let burst = times.burst.map { "\($0)." } ?? ""
        let day = burst + "\(times.studyDay ?? 0)"
        if participants[place].days.last?.name == day {
            participants[place].days[participants[place].days.count - 1].fates.append(fate)
        } else {
            participants[place].days.append((day, [fate]))
        }
    }

    private func fate(of showing: PresentationInfo, _ times: ShowingTimesInfo) -> Fate {
        switch showing.state {
        case "answered": return .answered
        case "scheduled", "ready", "presented": return .open
        case "cancelled":
            if Self.excusing.contains(showing.reason ?? "") { return .excused }
        default: break
        }
        return times.notifiedAt != nil || times.openedAt != nil ? .ignored : .missed
    }

    private func hasSameAnswers(_ showing: PresentationInfo) -> Bool {
        let answers = showing.answers?.json
        let values = scales.compactMap { answers?.member(named: $0)?.text }
        return values.count >= Self.fewestScales && Set(values).count == 1
    }

    private mutating func place(of showing: PresentationInfo, group: String?) -> Int {
        let (user, machine, uid) = (showing.userId, showing.machine, showing.uid)
        let key = "\(machine ?? "")\u{0}\(uid)\u{0}\(user ?? "")"
        if let place = places[key] {
            return place
        }
        places[key] = participants.count
        participants.append(Participant(user: user, machine: machine, group: group, uid: uid))
        return participants.count - 1
    }

    /// Answers that took fewer seconds are fast: a third of the median of all participants.
    var fastLimit: Double? { Self.median(participants.flatMap(\.durations)).map { $0 / 3 } }

    /// The sum of all participants, without days.
    var total: Participant {
        participants.reduce(into: Participant(user: nil, machine: nil, group: nil, uid: nil)) { total, one in
            total.planned += one.planned
            total.open += one.open
            total.excused += one.excused
            total.delivered += one.delivered
            total.answered += one.answered
            total.reasons.merge(one.reasons) { $0 + $1 }
            total.latencies += one.latencies
            total.durations += one.durations
            total.sameAnswers += one.sameAnswers
        }
    }

    static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
