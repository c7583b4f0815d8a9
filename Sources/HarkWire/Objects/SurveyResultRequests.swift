package struct SurveyDefinitions: ListMethod {
    package typealias Result = DefinitionPage
    package static let name = "survey.definitions"

    package var surveyId = ""
    package var app: String?
    package var user = UserChoice.unsaid
    package var after: String?
    package var machines = MachineChoice()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "which survey")
        m.onlyApp(&app)
        m.onlyUser(&user)
        m.after(&after)
        machines.map(&m)
    }
}

package struct SurveyResultsRequest: WireMethod {
    package typealias Result = SurveyResultInfo
    package static let name = "survey.results"

    package var surveyId = ""
    package var machines = MachineChoice()
    package var since: Timestamp?
    package var until: Timestamp?
    package var boundaries: [Timestamp]?
    package var by: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "which survey")
        machines.map(&m)
        m("since", &since, "only those shown at this time and later")
        m("until", &until, "only those shown before this time")
        m.boundaries(&boundaries, "the times that divide waves, ascending, each up to the next one; up to 1,001")
        m(
            "by", &by, .resultField,
            """
            showings with the same value of this field make a part: `locale`, `surface`, `zone`, `variant`, `@app`, `@machine`, \
            `@group`, or a property of the event that caused them, by its name (`property.locale` for a property with the name \
            of such a field, `@@name` for one that begins with `@`)
            """)
    }
}

package struct SurveyLook: BareMethod {
    package typealias Result = LookInfo
    package static let name = "survey.look"

    package init() {}
}
