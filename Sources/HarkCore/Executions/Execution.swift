package import HarkWire

/// The cause of a test of an execution's condition: a change of a counter, or an event of a name.
package enum ExecutionTrigger: Hashable, Sendable {
    case counter(ExactName)
    case event(ExactName)

    package var name: ExactName {
        switch self {
        case .counter(let name), .event(let name): name
        }
    }

    package var isEvent: Bool { if case .event = self { true } else { false } }
}

/// An action to take once counters meet a condition, which is tested whenever a counter it listens to changes or, for an
/// execution that listens to an event, whenever such an event is recorded.
package struct Execution: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Runs a program with its arguments.
        case exec([String], timeoutSeconds: Int)
        /// Raises a survey, if its limits allow.
        case survey(String)
        /// Notifies the subscribers, who are also notified of the other actions.
        case notify
    }

    package static let usualTimeoutSeconds = 60
    package static let longestTimeoutSeconds: Int64 = 86_400
    /// The greatest number of pending runs of one execution; further runs are dropped, counted and reported.
    package static let maxPending = 100

    package let id: ExactName
    /// For an execution of the settings: the only app it applies to; nil for every app.
    package var app: String?
    /// Distinct names of counters; none for an execution that listens to an event.
    package let listensTo: [ExactName]
    package let event: EventPattern?
    package let condition: Condition
    package let action: Action
    /// Whether the execution stays after it has fired, to fire again.
    package var keepAlive: Bool
    /// Whether the condition is also tested when the execution is added.
    package var validateImmediately: Bool

    package init(
        id: ExactName, app: String? = nil, listensTo: [ExactName] = [], on event: EventPattern? = nil,
        condition: Condition = .always, action: Action, keepAlive: Bool = false, validateImmediately: Bool = false
    ) {
        self.id = id
        self.event = event
        var seen: Set<ExactName> = []
        self.listensTo = listensTo.filter { seen.insert($0).inserted }
        self.condition = condition
        self.action = action
        self.keepAlive = keepAlive
        self.validateImmediately = validateImmediately
        let firing = if case .notify = action { 1 } else { 5 }
        weight = 1 + condition.weight + (event?.condition.weight ?? 0) + firing + document.packed.count / 1_024
        // Set last, because the weight must not depend on the app.
        self.app = app
    }

    /// The cost of testing and firing, in comparisons of a condition: 100 for each text search, 5 for a program or
    /// survey, 1 for a notice, and 1 for each KiB of the definition.
    package private(set) var weight = 0

    package var triggers: [ExecutionTrigger] {
        event.map { [.event(ExactName($0.name))] } ?? listensTo.map { .counter($0) }
    }

    func isMeant(for app: String) -> Bool { self.app == nil || self.app.hasSameBytes(as: app) }

    /// The counters whose values explain why the execution fired.
    var counters: Set<ExactName> { Set(listensTo).union(condition.names) }

    package var raisesSurvey: Bool {
        if case .survey = action { true } else { false }
    }
}

/// The state of an execution in a scope.
package struct ExecutionState: Sendable, Equatable {
    /// How often the execution has fired.
    package var fired: Int
    package var lastFiredAt: Timestamp?
    /// The number of runs that wait or are in progress.
    package var pending: Int
    /// The number of runs dropped because too many were pending.
    package var dropped: Int

    package init(fired: Int = 0, lastFiredAt: Timestamp? = nil, pending: Int = 0, dropped: Int = 0) {
        self.fired = fired
        self.lastFiredAt = lastFiredAt
        self.pending = pending
        self.dropped = dropped
    }
}

/// Identifies an execution; the id is unique within the scope.
package struct ExecutionKey: Hashable, Sendable {
    package let scope: Scope
    package let id: ExactName

    package init(scope: Scope, id: ExactName) {
        self.scope = scope
        self.id = id
    }
}

/// An execution that was added over the socket, and its state.
package struct AddedExecution: Sendable, Equatable {
    package let key: ExecutionKey
    package let execution: Execution
    package let addedAt: Timestamp
    package var state: ExecutionState

    package init(
        key: ExecutionKey, execution: Execution, addedAt: Timestamp, state: ExecutionState = ExecutionState()
    ) {
        self.key = key
        self.execution = execution
        self.addedAt = addedAt
        self.state = state
    }
}
