/// How windows are to look.
extension MethodShape {
    package static let surveyLook = MethodShape(
        "survey.look",
        result: LookInfo.members)
}
