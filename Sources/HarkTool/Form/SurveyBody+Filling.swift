import HarkAsking
import HarkWire

/// The parts of a form that a survey lacks.
extension SurveyBody {
    /// Adds the progress, and at the end the closing text.
    ///
    /// - Returns: Whether the screen shows nothing else.
    mutating func layOut(_ filling: Filling) -> Bool {
        if filling.isAtStart {
            wrap(form.message)
            space()
            add(StyledLine(Plural.count(form.questionCount, "question"), .dim))
            return true
        }
        let isFirst = form.pageNumber == 0 && !filling.isAtEnd
        if isFirst { wrap(form.message) }
        if isFirst, !form.message.isEmpty { space() }
        add(StyledLine(VisibleText.make(filling.progress.text)))
        add(bar(filling.progress))
        space()
        if filling.isAtEnd {
            wrap(filling.completionMessage ?? "Everything is answered. Thank you!", .good)
            return true
        }
        if let number = form.questionNumber {
            add(StyledLine("Question \(number) of \(form.questionCount)", .dim))
        }
        return false
    }

    private func bar(_ progress: ToldProgress) -> StyledLine {
        let columns = min(width, 40)
        let full = progress.total > 0 ? columns * min(progress.answered, progress.total) / progress.total : 0
        return StyledLine(String(repeating: "█", count: full), .good)
            + StyledLine(String(repeating: "░", count: columns - full), .dim)
    }
}

extension Filling {
    /// Returns the state of an answer that goes to a server; nil if there is nothing to show.
    func standing(of question: String) -> (text: String, look: Look)? {
        guard let submission = submissions[question] else { return nil }
        switch submission.state {
        case .submitted: return ("✓ Submitted", .good)
        case .sending: return ("Sending …", .dim)
        case .queued:
            return (submission.problem == nil ? "Sending …" : "Kept, and sent later. Ctrl-R tries now.", .warning)
        case .failed: return ("Not accepted by the server. Ctrl-R tries again.", .warning)
        case .unconfirmed: return ("Unconfirmed: it may have arrived. Ctrl-R sends it again.", .warning)
        }
    }
}
