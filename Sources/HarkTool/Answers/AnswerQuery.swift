import HarkClient
import HarkWire

/// Selects showings of a survey, and iterates over them once.
struct AnswerQuery {
    let survey: String
    private let app: String?
    private let scope: RecordScope
    private let machines: MachineScope
    private let since: Timestamp?
    private let until: Timestamp?
    private let onlyAnswered: Bool
    let allVersions: Bool

    init(_ arguments: Arguments, answered: Option, allVersions: Option, _ connection: inout Connection) throws {
        survey = arguments.operands[0]
        app = arguments[.surveyApp]
        scope = try RecordScope(arguments, &connection)
        machines = MachineScope(arguments)
        (since, until) = try TimeArgument.range(arguments)
        onlyAnswered = arguments.has(answered)
        self.allVersions = arguments.has(allVersions)
    }

    /// Fetches what the selected showings asked.
    func asked(_ connection: inout Connection) throws -> SurveyVersions {
        var request = SurveyDefinitions()
        (request.surveyId, request.app, request.user, request.machines) = (survey, app, scope.user, machines.choice)
        return try SurveyVersions(request, &connection)
    }

    /// Calls `body` with each showing, oldest first. One page is in memory at a time.
    func forEach(
        _ survey: SurveyVersions, _ connection: inout Connection, _ body: (AnswerRow, JSONText) throws -> Void
    ) throws {
        var request = SurveyHistory()
        (request.surveyId, request.app, request.user, request.machines) = (
            self.survey, app, scope.user, machines.choice
        )
        (request.allVersions, request.limit) = (allVersions ? true : nil, 1_000)
        var reader = AnswerReader(survey)
        var asked: Int64? = try connection.submit(request)
        while let number = asked {
            let page = try connection.result(of: number)
            request.after = page.ending("next")?.string
            // The daemon reads the next page while this one is printed.
            asked = request.after == nil ? nil : try connection.submit(request)
            try reader.forEach(in: page) { row, line in
                if includes(row) { try body(row, line) }
            }
        }
    }

    private func includes(_ row: AnswerRow) -> Bool {
        if onlyAnswered, !row.isAnswered { return false }
        guard since != nil || until != nil else { return true }
        guard let time = row.time else { return false }
        return time >= since ?? .earliest && until.map { time < $0 } ?? true
    }
}
