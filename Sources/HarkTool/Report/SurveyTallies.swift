import HarkAsking
import HarkClient
import HarkWire

/// What came of all surveys within a time, the most shown first. Questions of scripts (`hark prompt`) are none.
struct SurveyTallies {
    private(set) var all: [SurveyTally] = []
    private var places: [String: Int] = [:]
    /// The tallies of surveys with a schedule, in the order in which they first occur.
    private(set) var studies: [StudyTally] = []

    /// Of more than so many, the last are not counted.
    private static let most = 1_000
    private static let page: Int64 = 1_000

    /// Counts the showings that were due within a time.
    init(
        _ scope: RecordScope, app: String?, machines: MachineScope, since: Timestamp?, until: Timestamp?,
        _ connection: inout Connection
    ) throws {
        try readConfigured(&connection)
        var cursor: String?
        repeat {
            let params = JSONWriter.object { params in
                scope.append(to: &params)
                params.member(.onlyApp, app)
                machines.append(to: &params)
                params.member(.pendingLimit, Self.page)
                params.member(.after, cursor)
            }
            let result = try connection.call(.surveyHistory, params)
            for presentation in result.member("presentations")?.elements ?? [] {
                add(presentation, since: since, until: until)
            }
            cursor = result.member("next")?.string
        } while cursor != nil
        all.sort { ($0.shown, $1.id) > ($1.shown, $0.id) }
    }

    private mutating func readConfigured(_ connection: inout Connection) throws {
        var cursor: String?
        repeat {
            let result = try connection.call(.surveyList) { $0.member(.after, cursor) }
            for survey in result.member("surveys")?.elements ?? [] {
                let questions = (survey.member("questions")?.elements ?? []).compactMap { SurveyQuestion($0) }
                place(
                    of: survey.member("surveyId")?.string ?? "", survey.member("title")?.string ?? "", questions)
            }
            cursor = result.member("next")?.string
        } while cursor != nil && all.count < Self.most
    }

    /// Where a survey is counted; nil where there are too many.
    @discardableResult
    private mutating func place(of id: String, _ title: String = "", _ questions: [SurveyQuestion] = []) -> Int? {
        if let place = places[id] { return place }
        guard all.count < Self.most else { return nil }
        places[id] = all.count
        all.append(SurveyTally(id: id, title: title, questions: questions))
        return all.count - 1
    }

    private mutating func add(_ presentation: JSONText, since: Timestamp?, until: Timestamp?) {
        guard presentation.member("promptId") == nil,
            let due = presentation.member("triggerAt")?.string.flatMap({ Timestamp($0) })
        else { return }
        if let since, due < since { return }
        if let until, due >= until { return }
        let survey = presentation.member("surveyId")?.string ?? ""
        if let place = place(of: survey) { all[place].add(presentation) }
        guard presentation.member("times")?.member("occasion") != nil else { return }
        let known = studies.firstIndex { $0.survey.utf8.elementsEqual(survey.utf8) }
        guard known != nil || studies.count < Self.most else { return }
        if known == nil { studies.append(StudyTally(survey: survey)) }
        studies[known ?? studies.count - 1].add(presentation)
    }
}
