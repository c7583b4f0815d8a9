import HarkWire

@testable import HarkCore

extension SurveyResults {
    /// Adds one showing, as `SurveyWaves` adds many of a kind.
    mutating func add(_ presentation: Presentation) {
        let kind = ShowingKind(
            state: presentation.state, isShown: presentation.presentedAt != nil,
            isAbandoned: presentation.state == .dismissed && presentation.reason == Presentation.abandonedReason,
            answers: presentation.answers,
            seen: presentation.times.items.filter { $0.shown > 0 }.map(\.question))
        count(kind, 1)
        guard kind.isAnswered, let shown = presentation.presentedAt, let closed = presentation.closedAt else { return }
        noteTexts(at: closed, beside: presentation.answers) { presentation.answers }
        noteAnswer(
            took: closed.milliseconds - shown.milliseconds, isNamed: presentation.user.userId != nil, isNewPerson: false
        )
    }
}
