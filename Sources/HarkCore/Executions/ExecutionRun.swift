package import HarkWire

/// What came of one firing of an execution.
///
/// A program is due → started → done or failed. What was started when the daemon died is interrupted: whether it did its
/// work nobody knows, so it is reported and not run again. Surveys and notices are done with the firing itself.
package struct ExecutionRun: Sendable, Equatable {
    package typealias State = ExecutionRunState

    package let id: Identifier
    package let key: ExecutionKey
    package let action: Execution.Action
    /// It belongs to an execution of the settings.
    package let isConfigured: Bool
    /// The counter whose change made it fire, and its value; nil: it fired when it was added.
    package let counter: ExactName?
    package let value: JSONValue?
    /// What a program is told: the counters it listens to and asks about, as they stood.
    package var counters = JSONObject()
    package let firedAt: Timestamp
    package var state: State
    package var startedAt: Timestamp?
    package var endedAt: Timestamp?
    /// Why it failed, or what kept a survey from being asked.
    package var note: String?

    package init(
        id: Identifier, key: ExecutionKey, action: Execution.Action, isConfigured: Bool, counter: ExactName?,
        value: JSONValue?, firedAt: Timestamp, state: State
    ) {
        self.id = id
        self.key = key
        self.action = action
        self.isConfigured = isConfigured
        self.counter = counter
        self.value = value
        self.firedAt = firedAt
        self.state = state
    }

    /// How many ended runs of each kind of end the store keeps for a scope.
    package static let kept = 100
}

/// The place of a run in the queue of those that are due.
package struct ExecutionRunKey: Hashable, Comparable, Sendable {
    package let at: Timestamp
    package let id: Identifier

    package init(at: Timestamp, id: Identifier) {
        self.at = at
        self.id = id
    }

    package static let first = ExecutionRunKey(at: .earliest, id: Identifier(high: 0, low: 0))

    package static func < (left: ExecutionRunKey, right: ExecutionRunKey) -> Bool {
        left.at == right.at ? left.id < right.id : left.at < right.at
    }
}
