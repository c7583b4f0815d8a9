internal import HarkWire

/// The most showings to a user in a span of time that ends now.
package struct ShowingCap: Sendable, Equatable {
    package let count: Int
    /// Milliseconds.
    package let within: Int64

    package init(count: Int, within: Int64) {
        self.count = count
        self.within = within
    }

    /// The most caps in one place of a file.
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

    /// The most groups of a file.
    static let most = 100
}

/// An event, by its name and a condition on its properties.
package struct EventPattern: Sendable, Equatable {
    package let name: String
    package let condition: Condition

    package init(_ name: String, _ condition: Condition = .always) {
        self.name = name
        self.condition = condition
    }

    var words: String { condition == .always ? "'\(name)'" : "'\(name)' where \(condition.words)" }

    /// The name among the rules whose events are remembered. The condition is hashed, because it may be long.
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

/// An event that cancels the waiting presentations of a survey.
package struct CancelRule: Sendable, Equatable {
    package let event: EventPattern
    /// Properties whose values must be the same as in the event that triggered the survey.
    package var same: [String]
    /// Whether it also ends a presentation on screen that has no answers yet.
    package var alsoShown: Bool

    package init(_ event: EventPattern, same: [String] = [], alsoShown: Bool = false) {
        self.event = event
        self.same = same
        self.alsoShown = alsoShown
    }

    /// The most rules of a survey.
    static let most = 8

    var words: String {
        event.words + (same.isEmpty ? "" : " with the same \(same.joined(separator: ", "))")
    }
}

/// The number of showings that a cap has counted.
struct CapStanding {
    let cap: ShowingCap
    let used: Int
    /// When the next showing is allowed; nil: now.
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
