package import HarkWire

/// Knows what the daemon has of somebody's draft, and when to tell it more: at once when they turn the page, and a moment
/// after the last key.
package struct DraftKeeper {
    /// As the daemon has it.
    package var kept: KeptDraft
    private var seen: KeptDraft
    private var seenAt = 0.0

    private static let pause = 0.4

    package init(_ kept: KeptDraft) {
        self.kept = kept
        seen = kept
    }

    /// What is to be told; null forgets the draft of a question. Nil: nothing.
    package func change(to draft: KeptDraft) -> (page: String?, answers: [(String, JSONValue)])? {
        let questions = Set(kept.answers.keys).union(draft.answers.keys).sorted()
        let answers = questions.filter { kept.answers[$0] != draft.answers[$0] }
            .map { ($0, draft.answers[$0] ?? .null) }
        let page = draft.page == kept.page ? nil : draft.page
        return page == nil && answers.isEmpty ? nil : (page, answers)
    }

    package mutating func isDue(_ draft: KeptDraft, now: Double) -> Bool {
        if draft != seen {
            // Turning the page is rare, and says that somebody is done with the one before.
            if draft.page != seen.page { seenAt = now - Self.pause } else { seenAt = now }
            seen = draft
        }
        return change(to: draft) != nil && now >= seenAt + Self.pause
    }

    /// It was not taken: not again before it changes.
    package mutating func postpone() { seenAt = .infinity }

    /// When it is due to be told; nil while there is nothing to tell.
    package func dueAt(_ draft: KeptDraft, now: Double) -> Double? {
        change(to: draft) == nil ? nil : seenAt + Self.pause
    }
}
