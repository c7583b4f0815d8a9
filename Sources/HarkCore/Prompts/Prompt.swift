package import HarkWire

/// A question that a program asks whoever is there, and waits to be answered: a survey that no configuration has.
///
/// Each of the accounts that are asked has a presentation, and each presentation carries the whole prompt, so it outlives
/// a restart. The first answer counts and ends the presentations of all others. No limits of surveys hold for it, and it
/// counts towards none.
package struct Prompt: Sendable, Equatable {
    package let id: Identifier
    /// The account whose program asks.
    package let asker: UInt32
    /// It stays open when nobody waits for its answer any more.
    package let isKept: Bool
    package let question: PromptQuestion

    package init(id: Identifier, asker: UInt32, isKept: Bool, question: PromptQuestion) {
        self.id = id
        self.asker = asker
        self.isKept = isKept
        self.question = question
    }

    /// The question as presenters and hooks know surveys.
    package var survey: Survey {
        Survey(id: question.name, content: question.content, trigger: SurveyTrigger(event: nil))
    }
}
