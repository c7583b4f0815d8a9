package import HarkWire

/// Something to do once counters stand as a condition asks: looked at whenever a counter it listens to changes.
package struct Execution: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Runs a program with its arguments.
        case exec([String], timeoutSeconds: Int)
        /// Asks a survey, if its limits allow.
        case survey(String)
        /// Tells the subscribers; they hear of the others, too.
        case notify
    }

    package static let usualTimeoutSeconds = 60
    package static let longestTimeoutSeconds: Int64 = 86_400
    /// So many runs of one execution may wait and run; what fires beyond them is dropped, counted and reported.
    package static let maxPending = 100

    package let id: ExactName
    /// Of an execution of the settings: only in this app; nil: in every app.
    package var app: String?
    /// No two the same.
    package let listensTo: [ExactName]
    package let condition: Condition
    package let action: Action
    /// Stays after it has fired, to fire again.
    package var keepAlive: Bool
    /// Looks at its condition also when it is added.
    package var validateImmediately: Bool

    package init(
        id: ExactName, app: String? = nil, listensTo: [ExactName], condition: Condition = .always, action: Action,
        keepAlive: Bool = false, validateImmediately: Bool = false
    ) {
        self.id = id
        var seen: Set<ExactName> = []
        self.listensTo = listensTo.filter { seen.insert($0).inserted }
        self.condition = condition
        self.action = action
        self.keepAlive = keepAlive
        self.validateImmediately = validateImmediately
        let firing = if case .notify = action { 1 } else { 5 }
        weight = 1 + condition.weight + firing + document.packed.count / 1_024
        // What it weighs is the same in every app.
        self.app = app
    }

    /// What it costs to look at it and to let it fire, in comparisons of a condition: 100 for each that searches a text, 5
    /// for a program or survey, 1 for a notice, 1 for each KiB of its definition.
    package private(set) var weight = 0

    func isMeant(for app: String) -> Bool { self.app == nil || self.app.hasSameBytes(as: app) }

    /// The counters whose values are told to who asks why it fired.
    var counters: Set<ExactName> { Set(listensTo).union(condition.names) }

    package var raisesSurvey: Bool {
        if case .survey = action { true } else { false }
    }
}

/// How far an execution has come in a scope.
package struct ExecutionState: Sendable, Equatable {
    /// How often it has fired.
    package var fired: Int
    package var lastFiredAt: Timestamp?
    /// Runs that wait or are under way.
    package var pending: Int
    /// What fired while too many runs were pending, and so came to nothing.
    package var dropped: Int

    package init(fired: Int = 0, lastFiredAt: Timestamp? = nil, pending: Int = 0, dropped: Int = 0) {
        self.fired = fired
        self.lastFiredAt = lastFiredAt
        self.pending = pending
        self.dropped = dropped
    }
}

/// Names an execution: its id counts within the scope.
package struct ExecutionKey: Hashable, Sendable {
    package let scope: Scope
    package let id: ExactName

    package init(scope: Scope, id: ExactName) {
        self.scope = scope
        self.id = id
    }
}

/// An execution that was added over the socket, and how far it has come.
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
