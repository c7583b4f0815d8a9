internal import HarkWire

extension Holding {
    /// Surveys that are scheduled, ready or shown, with drafts of answers.
    package static let presentations = Holding(Presentation.self)
}

extension HoldingBound {
    static let presentations = HoldingBound(
        of: .presentations,
        most: Amount(count: Limits.presentationsPerUser, bytes: Limits.presentationBytesPerUser),
        things: "surveys that wait or are shown", whenMany: "answer or dismiss some (survey.pending lists them)",
        whenLarge: "answer or dismiss some that were begun (survey.pending lists them)")
}

extension Presentation {
    /// The size in the store while the presentation is open.
    var size: Amount {
        guard state.isOpen else { return Amount() }
        return Amount(
            count: 1, bytes: (answers.isEmpty ? 0 : answers.packed.bytes.count) + trigger.byteCount + given.byteCount)
    }
}
