import HarkWire

/// A kind of object that command lines name: by id, by title, or by the beginning of either.
enum NameKind: String, Sendable, CaseIterable {
    case survey, form, counter, execution, watch, destination, session, presentation, prompt
    /// A survey or one of its presentations, as `hark ask` takes.
    case surveyOrPresentation
    /// The name of an event, or a pattern. Shells complete it, but it is taken literally.
    case event
    /// A machine of the fleet, or a pattern.
    case machine

    /// The noun for messages.
    var word: String {
        switch self {
        case .presentation: "waiting survey"
        case .prompt: "question"
        case .surveyOrPresentation: "survey"
        default: rawValue
        }
    }

    /// The command that lists the objects.
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

    /// Whether ids are UUIDs. A complete UUID can be recognised, so it needs no look-up; any other name may be complete
    /// or not, and is looked up only after the daemon did not find it.
    var isUUID: Bool {
        switch self {
        case .session, .presentation, .prompt: true
        case .survey, .form, .counter, .execution, .watch, .destination, .surveyOrPresentation, .event, .machine: false
        }
    }

    /// Whether titles and beginnings are resolved.
    var isLookedUp: Bool { self != .event && self != .machine }

    /// Keywords of the command that are not names.
    var words: [String] { self == .session ? ["current"] : [] }
}
