internal import HarkWire

extension Holding {
    /// Forms in progress by user, with drafts and answers.
    package static let forms = Holding(FormState.self)
}

extension HoldingBound {
    static let forms = HoldingBound(
        of: .forms, most: Amount(count: .max, bytes: Limits.formBytesPerUser),
        things: "answers and drafts of forms",
        whenMany: "forget some (form.reset, event.clear)",
        whenLarge: "forget those of users who need them no more (form.reset, event.clear)")
}

extension FormState {
    /// The size in the store for a user.
    func size(of user: UserKey, _ form: String) -> Amount {
        let place = (user.userId?.utf8.count ?? 0) + form.utf8.count
        var bytes = place + (draft.isEmpty ? 0 : draft.packed.count)
        for (question, answer) in answers {
            var packed = Answers()
            packed[question.text] = answer.answer
            bytes += place + question.text.utf8.count + packed.packed.bytes.count
        }
        return Amount(count: 1, bytes: bytes)
    }
}
