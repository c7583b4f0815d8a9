internal import HarkWire

/// The name of a value that texts and conditions of a survey may refer to, such as `event.amount`.
package enum ValueName: Hashable, Sendable {
    /// A property of the event that triggered the survey, and one of the metadata of its session.
    case event(String)
    case session(String)
    /// The answer to an earlier question, by its id.
    case answer(String)
    /// A counter of the app, and a flag.
    case counter(String)
    case flag(String)
    /// The user id.
    case user

    private static let roots = ["event", "session", "answer", "counter", "flag"]

    /// - Throws: a clause about the fault of the name.
    package init(_ text: String) throws(ValueFault) {
        if text == "user" {
            self = .user
            return
        }
        let words = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, !words[1].isEmpty, words[1].utf8.count <= Limits.propertyKeyBytes else {
            throw ValueFault(Self.refusal(of: text))
        }
        switch words[0] {
        case "event": self = .event(words[1])
        case "session": self = .session(words[1])
        case "answer": self = .answer(words[1])
        case "counter": self = .counter(words[1])
        case "flag": self = .flag(words[1])
        default: throw ValueFault(Self.refusal(of: text))
        }
    }

    private static func refusal(of text: String) -> String {
        let root = String(text.prefix { $0 != "." })
        let nearest = Suggestion.nearest(to: root, among: roots + ["user"]).map { "; did you mean '\($0)'?" } ?? ""
        return "'\(text.prefix(60))' is no value; values are user, "
            + roots.map { "\($0).NAME" }.joined(separator: ", ") + nearest
    }

    /// The written form, which is also the form in the store.
    package var text: String {
        switch self {
        case .event(let name): "event.\(name)"
        case .session(let name): "session.\(name)"
        case .answer(let name): "answer.\(name)"
        case .counter(let name): "counter.\(name)"
        case .flag(let name): "flag.\(name)"
        case .user: "user"
        }
    }

    /// Whether it is looked up when the survey is scheduled, and kept with the showing.
    var isGiven: Bool {
        switch self {
        case .event, .session, .counter, .flag: true
        case .answer, .user: false
        }
    }

    package static func == (left: ValueName, right: ValueName) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) { hasher.combine(ExactName(text)) }
}

/// The fault in the name of a value, or in a text with placeholders.
package struct ValueFault: Error, Equatable {
    package let message: String

    init(_ message: String) { self.message = message }
}

/// The values that there may be at one place of a survey.
struct ValueScope {
    let trigger: SurveyTrigger
    /// The ids of the questions that are asked before.
    var questions: [String] = []

    /// Why a value can never be there; nil if it may be.
    func doubt(of name: ValueName) -> String? {
        switch name {
        case .user, .session, .flag: return nil
        case .event where trigger.schedule != nil, .counter where trigger.schedule != nil:
            return "'\(name.text)' is never there, as a schedule triggers this survey"
        case .event where trigger.event == nil:
            return "'\(name.text)' is never there, as counters trigger this survey, and no event"
        case .event, .counter: return nil
        case .answer(let id):
            if questions.contains(where: { $0.hasSameBytes(as: id) }) { return nil }
            let words = questions.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
            return "'\(name.text)' is no answer to an earlier question; "
                + (questions.isEmpty ? "there is none before" : "there are \(words)")
        }
    }
}
