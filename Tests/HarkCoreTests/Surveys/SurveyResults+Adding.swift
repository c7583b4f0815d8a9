@testable import HarkCore

extension SurveyResults {
    /// Adds one showing, as `SurveyWaves` adds many of a kind.
    mutating func add(_ presentation: Presentation) {
        let kind = ShowingKind(presentation)
        count(kind, 1)
        guard kind.isAnswered, let shown = presentation.presentedAt, let closed = presentation.closedAt else { return }
        noteAnswer(kind, from: shown, until: closed, isNamed: presentation.user.userId != nil, isNewPerson: false)
    }
}
