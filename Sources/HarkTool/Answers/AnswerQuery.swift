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
        try SurveyVersions(survey, &connection) { append(to: &$0) }
    }

    private func append(to params: inout JSONWriter) {
        params.member(.onlyApp, app)
        scope.append(to: &params)
        machines.append(to: &params)
    }

    /// Calls `body` with each showing, oldest first. One page is in memory at a time.
    func forEach(
        _ survey: SurveyVersions, _ connection: inout Connection, _ body: (AnswerRow, JSONText) throws -> Void
    ) throws {
        func ask(after: String?, _ connection: inout Connection) throws -> Int64 {
            let params = JSONWriter.object { params in
                params.member(.onlySurvey, self.survey)
                append(to: &params)
                if allVersions { params.member(.allVersions, true) }
                params.member(.after, after)
                params.member(.pendingLimit, 1_000)
            }
            return try connection.submit(MethodShape.surveyHistory.name, params)
        }
        var reader = AnswerReader(survey)
        var asked: Int64? = try ask(after: nil, &connection)
        while let request = asked {
            let page = try connection.result(of: request)
            // The daemon reads the next page while this one is printed.
            asked = try page.ending("next")?.string.map { try ask(after: $0, &connection) }
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
