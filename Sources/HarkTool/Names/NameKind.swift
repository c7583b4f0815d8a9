import HarkWire

/// A kind of things that command lines name: by their ids, their titles, or the beginning of one.
enum NameKind: String, Sendable, CaseIterable {
    case survey, form, counter, execution, watch, destination, session, presentation, prompt
    /// What `hark ask` takes: a survey, or one of its presentations.
    case surveyOrPresentation
    /// The name of an event, or a pattern of names; it is offered by shells, and means what it says.
    case event
    /// A machine of the fleet, or a pattern of names; likewise.
    case machine

    /// What one of them is called in a sentence.
    var word: String {
        switch self {
        case .presentation: "waiting survey"
        case .prompt: "question"
        case .surveyOrPresentation: "survey"
        default: rawValue
        }
    }

    /// Where those there are can be seen.
    var list: String {
        switch self {
        case .survey: "hark surveys --rules"
        case .form: "hark forms"
        case .counter: "hark counter list"
        case .execution: "hark execution list"
        case .watch: "hark watch"
        case .destination: "hark delivery status"
        case .session: "hark session list"
        case .presentation, .prompt, .surveyOrPresentation: "hark surveys"
        case .event: "hark stats"
        case .machine: "hark fleet"
        }
    }

    /// Whether the ids are UUIDs. They can be told from their beginnings, so a command that gets a whole one asks for nothing
    /// more; any other name may be whole or not, and is only looked up when the daemon knows no such thing.
    var isUUID: Bool {
        switch self {
        case .session, .presentation, .prompt: true
        case .survey, .form, .counter, .execution, .watch, .destination, .surveyOrPresentation, .event, .machine: false
        }
    }

    /// Whether something else than a whole name stands for one.
    var isLookedUp: Bool { self != .event && self != .machine }

    /// What is no name, but a word of the command's own.
    var words: [String] { self == .session ? ["current"] : [] }
}
