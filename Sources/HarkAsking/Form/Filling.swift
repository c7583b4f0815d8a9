package import HarkWire

/// The state of a form that a survey lacks: progress, earlier answers, and the state of their submission.
package struct Filling: Sendable, Equatable {
    /// A message about an answer that was just sent.
    package struct Banner: Sendable, Equatable {
        package var text: String
        package var isGood: Bool
        /// The question to retry.
        package var question: String?
        /// The time at which it disappears.
        package var until: Double?
    }

    package let formId: String
    /// Whether answers go to a server one by one and are final there.
    package let isSubmitted: Bool
    package let completionMessage: String?
    package let startLabel: String
    package let completionLabel: String
    package var progress: ToldProgress
    package var isCompleted: Bool
    /// The answers that the daemon has, by question.
    package var kept: [String: JSONValue]
    package var submissions: [String: FormSubmission]
    /// Whether the introduction is shown and nothing is begun yet.
    package var isAtStart = false
    /// Whether everything is answered and the closing page is shown.
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

    /// Whether the answer is final, or being sent.
    package func isLocked(_ question: String) -> Bool {
        submissions[question].map { !$0.isOpen } ?? false
    }

    /// Applies the form's new state, and reports the outcome of answers.
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

    /// Removes a banner that has expired.
    package mutating func tick(now: Double) {
        if let until = banner?.until, until <= now { banner = nil }
    }

    /// Reports an unconfirmed or refused answer to a person who opens the form.
    package mutating func showTrouble(along route: [String]) {
        for state in [SubmissionState.unconfirmed, .failed] {
            guard let question = route.first(where: { submissions[$0]?.state == state }) else { continue }
            let failure = submissions[question]?.failure ?? ""
            return show(
                Banner(text: Words.say("Failure.... {why}", ["why": failure]), isGood: false, question: question))
        }
    }

    /// Returns the question to retry: that of the banner, or else this one, if there is anything to retry.
    package func retry(on question: String) -> String? {
        [banner?.question, question].compactMap(\.self).first { submissions[$0]?.isOpen ?? false }
    }
}
