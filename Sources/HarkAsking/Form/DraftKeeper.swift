package import HarkWire

/// Tracks which draft the daemon has, and when to send changes: at once when the page is turned, and a moment after the
/// last key.
package struct DraftKeeper {
    /// The draft that the daemon has.
    package var kept: KeptDraft
    private var seen: KeptDraft
    private var seenAt = 0.0

    private static let pause = 0.4

    package init(_ kept: KeptDraft) {
        self.kept = kept
        seen = kept
    }

    /// Returns the changes to send; null forgets the draft of a question. Nil if there are none.
    package func change(to draft: KeptDraft) -> (page: String?, answers: [(String, JSONValue)])? {
        let questions = Set(kept.answers.keys).union(draft.answers.keys).sorted()
        let answers = questions.filter { kept.answers[$0] != draft.answers[$0] }
            .map { ($0, draft.answers[$0] ?? .null) }
        let page = draft.page == kept.page ? nil : draft.page
        return page == nil && answers.isEmpty ? nil : (page, answers)
    }

    package mutating func isDue(_ draft: KeptDraft, now: Double) -> Bool {
        if draft != seen {
            // Turning the page is rare, and means that the page before is done.
            if draft.page != seen.page { seenAt = now - Self.pause } else { seenAt = now }
            seen = draft
        }
        return change(to: draft) != nil && now >= seenAt + Self.pause
    }

    /// Notes that the draft was refused, so it is not sent again until it changes.
    package mutating func postpone() { seenAt = .infinity }

    /// Returns the time at which to send the changes; nil if there are none.
    package func dueAt(_ draft: KeptDraft, now: Double) -> Double? {
        change(to: draft) == nil ? nil : seenAt + Self.pause
    }
}
