package import HarkWire

/// A question from a program to the people present, whose answer the program waits for: a survey without configuration.
///
/// Each account asked has a presentation, and each presentation carries the whole prompt, so the prompt survives a
/// restart. The first answer counts and ends the other presentations. Survey limits do not apply to prompts, and
/// prompts do not count towards them.
package struct Prompt: Sendable, Equatable {
    package let id: Identifier
    /// The account of the program that asks.
    package let asker: UInt32
    /// Whether the prompt stays open when no client waits for its answer any more.
    package let isKept: Bool
    private let asked: Asked

    package init(id: Identifier, asker: UInt32, isKept: Bool, question: PromptQuestion) {
        self.id = id
        self.asker = asker
        self.isKept = isKept
        asked = Asked(question)
    }

    package var question: PromptQuestion { asked.question }
    /// The question in the form of a survey, for presenters and hooks.
    package var survey: Survey { asked.survey }

    /// The question and its survey, made once for all copies of a prompt: a presentation is copied many times.
    private final class Asked: Sendable, Equatable {
        let question: PromptQuestion
        let survey: Survey

        init(_ question: PromptQuestion) {
            self.question = question
            survey = Survey(id: question.name, content: question.content, trigger: SurveyTrigger(event: nil))
        }

        static func == (left: Asked, right: Asked) -> Bool {
            left === right || left.question == right.question
        }
    }
}
