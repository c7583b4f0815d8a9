import HarkAsking
import HarkClient
import HarkWire

/// The results of all surveys within a time, the most shown first, without questions of scripts (`hark prompt`).
struct SurveyTallies {
    /// A written text.
    struct Text {
        /// The time, as the daemon writes it.
        let at: String
        let survey: String
        /// The answer to the first question with choices, as its label; empty if there is none.
        let rating: String
        let text: String
    }

    private(set) var all: [SurveyTally] = []
    /// The same of the time before, by survey.
    private(set) var past: [String: SurveyTally] = [:]
    /// The latest texts, newest first.
    private(set) var texts: [Text] = []
    private let pastRange: Range<Timestamp>?
    private var places: [String: Int] = [:]
    /// The tallies of surveys with a schedule, in the order in which they first occur.
    private(set) var studies: [StudyTally] = []

    /// The maximum number of surveys; later ones are not counted.
    private static let most = 1_000
    private static let page: Int64 = 1_000
    private static let mostTexts = 10

    /// Counts the showings that were due within a time.
    init(
        _ scope: RecordScope, app: String?, machines: MachineScope, since: Timestamp?, until: Timestamp?,
        past: Range<Timestamp>? = nil, _ connection: inout Connection
    ) throws {
        pastRange = past
        try readConfigured(&connection)
        var request = SurveyHistory()
        (request.user, request.app, request.machines, request.limit) = (scope.user, app, machines.choice, Self.page)
        try connection.pages(request) { reply in
            for presentation in reply.value.presentations.json.elements {
                add(PresentationInfo(presentation), since: since, until: until)
            }
            return true
        }
        all.sort { ($0.shown, $1.id) > ($1.shown, $0.id) }
    }

    private mutating func readConfigured(_ connection: inout Connection) throws {
        try connection.pages(SurveyList()) { reply in
            for survey in reply.value.surveys {
                place(of: survey.surveyId, survey.content.title, survey.content.questions)
            }
            return all.count < Self.most
        }
    }

    /// The index of a survey's tally; nil if there are too many.
    @discardableResult
    private mutating func place(of id: String, _ title: String = "", _ questions: [QuestionInfo] = []) -> Int? {
        if let place = places[id] { return place }
        guard all.count < Self.most else { return nil }
        places[id] = all.count
        all.append(SurveyTally(id: id, title: title, asking: questions))
        return all.count - 1
    }

    private mutating func add(_ presentation: PresentationInfo, since: Timestamp?, until: Timestamp?) {
        guard presentation.promptId == nil else { return }
        let (due, survey) = (presentation.triggerAt, presentation.surveyId)
        if let pastRange, pastRange.contains(due), let place = place(of: survey) {
            past[survey, default: all[place].emptied].add(presentation)
        }
        if let since, due < since { return }
        if let until, due >= until { return }
        guard let place = place(of: survey) else { return }
        all[place].add(presentation)
        for text in all[place].texts(of: presentation) { add(text) }
        guard presentation.times?.occasion != nil else { return }
        let known = studies.firstIndex { $0.survey.utf8.elementsEqual(survey.utf8) }
        guard known != nil || studies.count < Self.most else { return }
        if known == nil { studies.append(StudyTally(survey: survey)) }
        studies[known ?? studies.count - 1].add(presentation)
    }

    private mutating func add(_ text: Text) {
        let place = texts.firstIndex { $0.at < text.at } ?? texts.endIndex
        texts.insert(text, at: place)
        if texts.count > Self.mostTexts { texts.removeLast() }
    }
}
