/// Why a prompt was not answered, as its row has it.
package enum MissedReason: String, Sendable, CaseIterable {
    /// The daemon did not run, or the machine slept, when its time came; or the clock was put forward over it.
    case off, asleep, clock
    /// What the desktop said of the person.
    case locked, idle, doNotDisturb
    case quiet
    /// Nothing was there that shows surveys.
    case noPresenter
    /// The next one came, or another survey was on the screen.
    case overtaken
    /// The person was told of it, or has opened it, and no more.
    case ignored, unfinished
    /// Too many wait already.
    case quota
    /// The machine travelled: it would have come outside the window, or too soon after the one before.
    case zone, gap
}

/// Why somebody has no more prompts, or none for a while.
package enum StudyEnd {
    package static let left = "left"
    package static let over = "over"
    package static let removed = Presentation.removedReason
    package static let paused = "paused"
}
