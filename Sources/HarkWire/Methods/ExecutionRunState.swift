/// The state of an execution's run. The store keeps the numbers.
package enum ExecutionRunState: Int, Sendable, CaseIterable {
    case due = 0
    case started = 1
    case done = 2
    case failed = 3
    case interrupted = 4
    /// The execution was removed before the run began.
    case cancelled = 5
    /// Too many runs were pending.
    case dropped = 6

    package var isOpen: Bool { rawValue <= ExecutionRunState.started.rawValue }

    package var word: String {
        switch self {
        case .due: "due"
        case .started: "running"
        case .done: "done"
        case .failed: "failed"
        case .interrupted: "interrupted"
        case .cancelled: "cancelled"
        case .dropped: "dropped"
        }
    }
}
