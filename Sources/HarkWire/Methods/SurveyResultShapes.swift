/// The shapes of methods about survey results and definitions.
extension MethodShape {
    package static let surveyDefinitions = MethodShape(
        "survey.definitions",
        [
            .required(.survey), .optional(.onlyApp), .optional(.onlyUser), .optional(.after), .optional(.onlyMachine),
            .optional(.onlyGroup),
        ],
        result: DefinitionPage.members)

    package static let surveyResults = MethodShape(
        "survey.results",
        [
            .required(.survey), .optional(.onlyMachine), .optional(.onlyGroup), .optional(.shownSince),
            .optional(.shownUntil), .optional(.waves), .optional(.partedBy),
        ],
        result: SurveyResultInfo.members)
}

extension Parameter<Timestamp> {
    package static var shownSince: Parameter { Parameter("since", .time, "only those shown at this time and later") }
    package static var shownUntil: Parameter { Parameter("until", .time, "only those shown before this time") }
}

extension Parameter<[Timestamp]> {
    package static var waves: Parameter {
        Parameter(
            boundaries.name, boundaries.type,
            "where time is cut into waves, ascending, each up to the next one; up to 1,001")
    }
}

extension Parameter<ResultField> {
    package static var partedBy: Parameter {
        Parameter(
            "by", .resultField,
            "showings that are the same in this make a part: \(ResultField.words.map { "`\($0)`" }.joined(separator: ", ")), or "
                + "by its name a property of the event that brought them about (`property.locale` for one that is called like a "
                + "word before, `@@name` for one that begins with `@`)")
    }
}
