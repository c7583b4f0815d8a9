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
