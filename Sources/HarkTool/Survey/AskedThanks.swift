import HarkAsking
import HarkClient

/// A page of thanks for an answer that can be changed. It stays until a key is pressed, or for some seconds.
struct AskedThanks: Asked {
    /// The change to start if the person wants it.
    let change: AskedChange
    private let end = MonotonicClock.now + AskedChange.secondsOfThanks

    init(_ change: AskedChange) { self.change = change }

    var form: SurveyForm { change.form }

    func perform(_ action: SurveyForm.Action, _ form: inout SurveyForm) -> AskOutcome { .ended(.answered) }

    func listen(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? {
        // A lost daemon matters only if the person wants to change something.
        _ = try? change.listen(&form)
        return MonotonicClock.now < end ? nil : .answered
    }

    func resume(_ form: inout SurveyForm) throws(ClientError) -> AskEnding? { try listen(&form) }

    func patience(_ form: SurveyForm) -> Double? { max(end - MonotonicClock.now, 0) }

    var descriptor: CInt { change.descriptor }
    var isAway: Bool { change.isAway }
}
