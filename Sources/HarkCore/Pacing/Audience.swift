internal import HarkWire

/// The history and properties that a user must have to be asked.
package struct Audience: Sendable, Equatable {
    package var events: [EventRule] = []
    package var surveys: [SurveyRule] = []
    /// A condition on the metadata of the current session of the app.
    package var session: Condition?
    /// A condition on the values of the user's profile.
    package var profile: Condition?
    package var firstSeen: Age?

    /// The number of times within a span that ends now; the span in milliseconds, nil: ever.
    package struct Frequency: Sendable, Equatable {
        /// 0: never.
        package var atLeast = 1
        package var within: Int64?

        package init(atLeast: Int = 1, within: Int64? = nil) {
            self.atLeast = atLeast
            self.within = within
        }

        func holds(_ count: Int) -> Bool { atLeast == 0 ? count == 0 : count >= atLeast }

        var words: String {
            let span = within.map { " in the last \(SurveyGate.seconds($0)) s" } ?? ""
            return (atLeast == 0 ? "never" : atLeast == 1 ? "at least once" : "at least \(atLeast) times") + span
        }
    }

    package struct EventRule: Sendable, Equatable {
        package let event: EventPattern
        package let frequency: Frequency
        /// The key under which the event's times are kept.
        let rule: ExactName

        package init(_ event: EventPattern, _ frequency: Frequency) {
            self.event = event
            self.frequency = frequency
            rule = event.rule
        }
    }

    package struct SurveyRule: Sendable, Equatable {
        package enum What: String, Sendable, CaseIterable { case shown, answered }

        package let survey: String
        package let was: What
        package let frequency: Frequency

        package init(_ survey: String, was: What, _ frequency: Frequency) {
            self.survey = survey
            self.was = was
            self.frequency = frequency
        }
    }

    /// How long ago something was; milliseconds.
    package struct Age: Sendable, Equatable {
        package var atLeast: Int64?
        package var atMost: Int64?

        package init(atLeast: Int64? = nil, atMost: Int64? = nil) {
            self.atLeast = atLeast
            self.atMost = atMost
        }

        func holds(_ age: Int64) -> Bool { atLeast.map { age >= $0 } ?? true && atMost.map { age <= $0 } ?? true }

        var words: String {
            [
                atLeast.map { "at least \(SurveyGate.seconds($0)) s" },
                atMost.map { "at most \(SurveyGate.seconds($0)) s" },
            ]
            .compactMap(\.self).joined(separator: " and ") + " ago"
        }
    }

    package init() {}

    /// The most rules that a survey may have.
    static let most = 8
    /// The greatest weight of a condition (`Condition.weight`).
    static let mostWeight = 1_000

    var isEmpty: Bool { self == Audience() }

    /// The cost of testing the conditions, in comparisons.
    var weight: Int { (session?.weight ?? 0) + (profile?.weight ?? 0) }
}

/// An event whose times are kept, because a rule about a user's history asks for them.
struct EventMemory: Sendable, Equatable {
    let rule: ExactName
    let condition: Condition
    /// The number of events whose times are kept.
    private(set) var keeping = RecentTimes.usual
    /// The longest span of any rule, in milliseconds; nil: unlimited.
    private(set) var within: Int64?

    private init(_ rule: Audience.EventRule) {
        self.rule = rule.rule
        condition = rule.event.condition
        within = rule.frequency.within
        serve(rule.frequency)
    }

    private mutating func serve(_ frequency: Audience.Frequency) {
        keeping = max(keeping, frequency.atLeast)
        within = within.flatMap { within in frequency.within.map { max(within, $0) } }
    }

    /// By the names of the events, each rule once.
    static func all(of surveys: [Survey]) -> [ExactName: [EventMemory]] {
        var memories: [ExactName: [EventMemory]] = [:]
        var places: [ExactName: Int] = [:]
        for rule in surveys.flatMap(\.audience.events) {
            let name = ExactName(rule.event.name)
            if let place = places[rule.rule] {
                memories[name]?[place].serve(rule.frequency)
            } else {
                places[rule.rule] = memories[name]?.count ?? 0
                memories[name, default: []].append(EventMemory(rule))
            }
        }
        return memories
    }
}
