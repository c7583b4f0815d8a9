extension NotificationShape {
    package static let surveyScheduled = survey("survey.scheduled", "A survey waits for its time")
    package static let surveyReady = survey("survey.ready", "A survey can be shown")
    package static let surveyPresented = survey("survey.presented", "A survey is shown elsewhere")
    package static let surveyPresent = survey("survey.present", "A survey is to be shown here")
    package static let surveyClosed = survey("survey.closed", "A survey is over")

    private static func survey(_ name: String, _ meaning: String) -> NotificationShape {
        NotificationShape(name, meaning, params: SurveyNotice.members)
    }
}
