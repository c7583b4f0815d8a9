internal import HarkWire

/// At most so many showings to a user in a span of time that ends now.
package struct ShowingCap: Sendable, Equatable {
    package let count: Int
    /// Milliseconds.
    package let within: Int64

    package init(count: Int, within: Int64) {
        self.count = count
        self.within = within
    }

    /// So many caps may stand in one place of a file.
    static let most = 8
}

/// Surveys whose showings are counted together.
package struct SurveyGroup: Sendable, Equatable {
    package let name: String
    package let atMost: [ShowingCap]
    /// The ids of its surveys.
    package internal(set) var members: [ExactName] = []

    package init(name: String, atMost: [ShowingCap]) {
        self.name = name
        self.atMost = atMost
    }

    /// So many groups may a file have.
    static let most = 100
}

/// An event, by its name and what its properties are like.
package struct EventPattern: Sendable, Equatable {
    package let name: String
    package let condition: Condition

    package init(_ name: String, _ condition: Condition = .always) {
        self.name = name
        self.condition = condition
    }

    var words: String { condition == .always ? "'\(name)'" : "'\(name)' where \(condition.words)" }

    /// Names it among the rules whose events are remembered. What its properties must be like may be long, and is hashed.
    var rule: ExactName {
        guard condition != .always else { return ExactName(name) }
        var hash = StableHash()
        hash.mix(condition.words)
        return ExactName("\(name)\n\(hash.value)")
    }

    static func event(ofRule rule: String) -> String {
        String(decoding: rule.utf8.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// An event after which what waits of a survey is not shown any more.
package struct CancelRule: Sendable, Equatable {
    package let event: EventPattern
    /// Properties whose values must be those of the event that brought the survey about.
    package var same: [String]
    /// It also ends what is on a screen, as long as nothing is answered.
    package var alsoShown: Bool

    package init(_ event: EventPattern, same: [String] = [], alsoShown: Bool = false) {
        self.event = event
        self.same = same
        self.alsoShown = alsoShown
    }

    /// So many may a survey have.
    static let most = 8

    var words: String {
        event.words + (same.isEmpty ? "" : " with the same \(same.joined(separator: ", "))")
    }
}

/// What a user must have done, or must not have done, to be asked.
package struct Audience: Sendable, Equatable {
    package var events: [EventRule] = []
    package var surveys: [SurveyRule] = []

    /// How often within a span that ends now; milliseconds, nil: ever.
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
        /// What the event's times are kept under.
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

    package init() {}

    /// So many rules may a survey have.
    static let most = 8

    var isEmpty: Bool { events.isEmpty && surveys.isEmpty }
}

/// How many showings of each kind a cap has counted.
struct CapStanding {
    let cap: ShowingCap
    let used: Int
    /// When the next may be shown; nil: now.
    let until: Timestamp?

    init(_ cap: ShowingCap, _ times: [Timestamp], at now: Timestamp) {
        self.cap = cap
        let recent = times.filter { now < $0.adding(milliseconds: cap.within) }.sorted()
        used = recent.count
        until =
            recent.count < cap.count ? nil : recent[recent.count - cap.count].adding(milliseconds: cap.within)
    }

    var words: String {
        let span = "\(used) of \(cap.count) showings within \(SurveyGate.seconds(cap.within)) s are used"
        return until.map { "\(span), until \($0)" } ?? span
    }
}

/// An event whose times are kept, as a rule about a user's history asks for it.
struct EventMemory: Sendable, Equatable {
    let rule: ExactName
    let condition: Condition
    /// Of how many events the times are kept.
    let keeping: Int

    /// By the names of the events, each rule once.
    static func all(of surveys: [Survey]) -> [ExactName: [EventMemory]] {
        var memories: [ExactName: [EventMemory]] = [:]
        var keeping: [ExactName: Int] = [:]
        for rule in surveys.flatMap(\.audience.events) {
            let kept = keeping[rule.rule]
            keeping[rule.rule] = max(kept ?? RecentTimes.usual, rule.frequency.atLeast)
            guard kept == nil else { continue }
            memories[ExactName(rule.event.name), default: []].append(
                EventMemory(rule: rule.rule, condition: rule.event.condition, keeping: RecentTimes.usual))
        }
        for name in memories.keys {
            memories[name] = memories[name]?.map { memory in
                EventMemory(
                    rule: memory.rule, condition: memory.condition, keeping: keeping[memory.rule] ?? memory.keeping)
            }
        }
        return memories
    }
}
