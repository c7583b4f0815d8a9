package import HarkWire

/// What a form to fill in has that a survey has not: its progress, answers that were given before, and the way they take.
package struct Filling: Sendable, Equatable {
    /// A word about what was just sent.
    package struct Banner: Sendable, Equatable {
        package var text: String
        package var isGood: Bool
        /// The question it is about, to be tried again.
        package var question: String?
        /// When it goes by itself.
        package var until: Double?
    }

    package let formId: String
    /// Answers go to a server, each on its own, and are final there.
    package let isSubmitted: Bool
    package let completionMessage: String?
    package let startLabel: String
    package let completionLabel: String
    package var progress: ToldProgress
    package var isCompleted: Bool
    /// What the daemon has, by question.
    package var kept: [String: JSONValue]
    package var submissions: [String: FormSubmission]
    /// Nothing is begun yet, and what it is about is on the screen.
    package var isAtStart = false
    /// Everything is answered, and that is what is on the screen.
    package var isAtEnd = false
    package var banner: Banner?

    package static let bannerSeconds = 3.0

    package init(_ reply: FormReply) {
        formId = reply.formId
        isSubmitted = !reply.isEditable
        completionMessage = reply.completionMessage
        startLabel = reply.startLabel ?? Words.say("Start")
        completionLabel = reply.completionLabel ?? Words.say("Close")
        progress = reply.progress
        isCompleted = reply.isCompleted
        kept = reply.answers.compactMapValues(\.answer)
        submissions = reply.submissions
    }

    /// Whether the answer cannot be changed any more, or not just now.
    package func isLocked(_ question: String) -> Bool {
        submissions[question].map { !$0.isOpen } ?? false
    }

    /// Takes in how the form stands now, and says what has become of answers.
    package mutating func update(_ reply: FormReply, now: Double) {
        for (question, submission) in reply.submissions where submission != submissions[question] {
            if submission.state == .submitted {
                show(Banner(text: Words.say("Success!"), isGood: true, until: now + Filling.bannerSeconds))
            } else if let failure = submission.failure {
                show(Banner(text: Words.say("Failure.... {why}", ["why": failure]), isGood: false, question: question))
            }
        }
        progress = reply.progress
        isCompleted = reply.isCompleted
        kept = reply.answers.compactMapValues(\.answer)
        submissions = reply.submissions
    }

    mutating func show(_ banner: Banner) { self.banner = banner }

    /// Takes the banner away whose time is over.
    package mutating func tick(now: Double) {
        if let until = banner?.until, until <= now { banner = nil }
    }

    /// Says what nobody knows of, or what was refused, to somebody who comes (back) to the form.
    package mutating func showTrouble(along route: [String]) {
        for state in [SubmissionState.unconfirmed, .failed] {
            guard let question = route.first(where: { submissions[$0]?.state == state }) else { continue }
            let failure = submissions[question]?.failure ?? ""
            return show(
                Banner(text: Words.say("Failure.... {why}", ["why": failure]), isGood: false, question: question))
        }
    }

    /// What is to be tried again: what the banner is about, or else this question, if there is something to try.
    package func retry(on question: String) -> String? {
        [banner?.question, question].compactMap(\.self).first { submissions[$0]?.isOpen ?? false }
    }
}
