package import HarkWire

/// A counter that every app, or one app, has without registering it.
package struct DeclaredCounter: Sendable, Equatable {
    package let name: ExactName
    package var initial: JSONValue
    package var lifetime: CounterLifetime
    /// The only app that has the counter; nil for every app.
    package var app: String?

    package init(name: ExactName, initial: JSONValue, lifetime: CounterLifetime, app: String? = nil) {
        self.name = name
        self.initial = initial
        self.lifetime = lifetime
        self.app = app
    }
}

/// The counters and executions of the settings, indexed for fast lookup.
package struct CounterConfiguration: Sendable, Equatable {
    package let counters: [DeclaredCounter]
    package let executions: [Execution]
    private let byName: [ExactName: Int]
    /// The indices of the executions by trigger, in order.
    private let listeners: [ExecutionTrigger: [Int]]
    private let hasEvents: Bool
    /// The events of surveys that executions listen to.
    let surveyEvents: Set<String>
    private let places: [ExactName: Int]

    package static let none = CounterConfiguration()

    /// - Parameters:
    ///   - counters: declarations with distinct names.
    ///   - executions: executions with distinct ids.
    package init(counters: [DeclaredCounter] = [], executions: [Execution] = []) {
        self.counters = counters
        self.executions = executions
        byName = Dictionary(uniqueKeysWithValues: counters.indices.map { (counters[$0].name, $0) })
        places = Dictionary(uniqueKeysWithValues: executions.indices.map { (executions[$0].id, $0) })
        var listeners: [ExecutionTrigger: [Int]] = [:]
        for (place, execution) in executions.enumerated() {
            for trigger in execution.triggers { listeners[trigger, default: []].append(place) }
        }
        self.listeners = listeners
        hasEvents = executions.contains { $0.event != nil }
        surveyEvents = Set(SurveyEvents.names.filter { listeners[.event(ExactName($0))] != nil })
    }

    /// A counter that an app has without registering it.
    package func counter(_ name: ExactName, in app: String) -> DeclaredCounter? {
        guard let place = byName[name] else { return nil }
        let counter = counters[place]
        return counter.app == nil || counter.app.hasSameBytes(as: app) ? counter : nil
    }

    package func execution(_ id: ExactName, in app: String) -> Execution? {
        guard let place = places[id] else { return nil }
        let execution = executions[place]
        return execution.isMeant(for: app) ? execution : nil
    }

    /// Whether an execution listens to events of this name. Called for every event.
    func mayHear(_ event: String) -> Bool { hasEvents && listeners[.event(ExactName(event))] != nil }

    /// The executions of an app with a trigger, in order.
    package func listeners(to trigger: ExecutionTrigger, in app: String) -> [Execution] {
        guard !listeners.isEmpty, let places = listeners[trigger] else { return [] }
        return places.map { executions[$0] }.filter { $0.isMeant(for: app) }
    }
}
