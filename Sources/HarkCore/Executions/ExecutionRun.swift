package import HarkWire

/// A run of an execution: the result of one firing.
///
/// A program goes from due to started to done or failed. A run that was started when the daemon died is interrupted:
/// whether it did its work is unknown, so it is reported and not run again. Surveys and notices are done with the
/// firing itself.
package struct ExecutionRun: Sendable, Equatable {
    package typealias State = ExecutionRunState

    package let id: Identifier
    package let key: ExecutionKey
    package let action: Execution.Action
    /// Whether the run belongs to an execution of the settings.
    package let isConfigured: Bool
    /// The counter whose change fired the execution, and its value; without a counter, the value is the event that fired it
    /// (`event`), or nil if the execution fired when it was added.
    package let counter: ExactName?
    package private(set) var value: JSONValue?
    /// The row of the event's session; when the session is removed, so are the event's details.
    package var session: Int64?
    /// The input of a program: the values at firing of the counters that the execution listens to or tests.
    package var counters = JSONObject()
    package let firedAt: Timestamp
    package var state: State
    package var startedAt: Timestamp?
    package var endedAt: Timestamp?
    /// Why the run failed, or why the survey was not raised.
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

    /// The event that fired the execution. Its details are kept until the run has ended.
    package var event: ExecutionEvent? {
        get { counter == nil ? value?.objectValue.map(ExecutionEvent.init) : nil }
        set { value = newValue.map { .object($0.members) } }
    }

    /// Removes the event's details, which are not kept after the run has ended.
    mutating func forgetDetails() {
        if let event { self.event = event.withoutDetails }
    }

    /// The number of ended runs that the store keeps per scope and end state.
    package static let kept = 100
}

/// An event as it is reported with the run of an execution: `name`, `seq`, `timestamp`, `sessionId`, `userId`, `properties`.
package struct ExecutionEvent: Sendable, Equatable {
    package let members: JSONObject

    init(_ members: JSONObject) {
        self.members = members
    }

    /// Includes as many properties as fit in `Limits.toldBytes`.
    init(_ name: String, _ properties: Properties, _ recorded: Recorded, at: Timestamp, of session: SessionIdentity) {
        var room = Limits.toldBytes
        var told: [(String, JSONValue)] = []
        for (key, property) in properties.members {
            let value = JSONValue(property)
            let size = value.weight + key.utf8.count
            guard size <= room else { continue }
            room -= size
            told.append((key, value))
        }
        members = [
            "name": .string(name), "seq": .int(Int64(clamping: recorded.sequence)),
            "timestamp": .string(at.description), "sessionId": .string(session.id.description),
            "userId": session.userId.map(JSONValue.string) ?? .null, "properties": .object(JSONObject(told)),
        ]
    }

    package var name: String { members["name"]?.stringValue ?? "" }

    /// Its name and number.
    package var withoutDetails: ExecutionEvent {
        ExecutionEvent(JSONObject(["name", "seq"].compactMap { key in members[key].map { (key, $0) } }))
    }
}

/// The place of a run in the queue of due runs.
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
