/// Why a prompt was not answered: the `reason` of its row.
package enum MissedReason: String, Sendable, CaseIterable {
    /// The daemon did not run or the machine slept when the prompt was due, or the clock was put forward past that
    /// time.
    case off, asleep, clock
    /// The state of the desktop when the prompt was due.
    case locked, idle, doNotDisturb
    /// It was a quiet hour.
    case quiet
    /// No presenter was there.
    case noPresenter
    /// The next prompt came, or another survey was on the screen.
    case overtaken
    /// The person was notified of the prompt and did not open it, or opened it and did not answer.
    case ignored, unfinished
    /// Too many surveys wait already.
    case quota
    /// The machine travelled: the prompt would have come outside the window, or too soon after the one before.
    case zone, gap
}

/// Why a participant gets no more prompts, or none for a while.
package enum StudyEnd {
    package static let left = "left"
    package static let over = "over"
    package static let removed = Presentation.removedReason
    package static let paused = "paused"
}
