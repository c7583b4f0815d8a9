extension SurveyThanks {
    static func read(_ survey: inout ObjectReader) -> SurveyThanks? {
        guard var thanks = survey.object("thanks") else { return nil }
        defer { thanks.finish() }
        let message = thanks.name("message")
        return thanks.name("title", isRequired: true).map { SurveyThanks(title: $0, message: message) }
    }
}
