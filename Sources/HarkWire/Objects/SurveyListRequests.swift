package struct SurveyList: PagedMethod {
    package typealias Result = SurveyRulePage
    package static let name = "survey.list"

    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "surveys a page (1000)")
    }
}

package struct SurveyPending: ListMethod {
    package typealias Result = PresentationPage
    package static let name = "survey.pending"

    package var app: String?
    package var user = UserChoice.unsaid
    package var surveyId: String?
    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.onlyApp(&app)
        m.onlyUser(&user)
        m("surveyId", &surveyId, "only of this survey")
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "surveys a page (100)")
    }
}

package struct SurveyHistory: ListMethod {
    package typealias Result = HistoryPage
    package static let name = "survey.history"

    package var app: String?
    package var user = UserChoice.unsaid
    package var surveyId: String?
    package var after: String?
    package var limit: Int64?
    package var machines = MachineChoice()
    package var allVersions: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.onlyApp(&app)
        m.onlyUser(&user)
        m("surveyId", &surveyId, "only of this survey")
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "surveys a page (100)")
        machines.map(&m)
        m("allVersions", &allVersions, "true: earlier versions of answers that were changed or taken back, too")
    }
}
