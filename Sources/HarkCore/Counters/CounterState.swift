import HarkWire

/// The state of one scope: its counters, and its progress with the executions of the settings.
package struct CounterState: Sendable, Equatable {
    package internal(set) var counters: [ExactName: Counter] = [:]
    /// Progress by the id of the execution.
    package internal(set) var configured: [ExactName: ExecutionState] = [:]

    package init(counters: [Counter] = [], configured: [ExactName: ExecutionState] = [:]) {
        for counter in counters { self.counters[counter.name] = counter }
        self.configured = configured
    }

    mutating func resetInstances() {
        for (name, counter) in counters where counter.lifetime == .instance { counters[name]?.changed = nil }
    }

    /// The approximate size in memory, in bytes.
    var weight: Int { counters.values.reduce(256) { $0 + $1.weight } + configured.count * 200 }
}

extension Counter {
    var weight: Int {
        300 + name.text.utf8.count + initial.weight + (changed?.weight ?? 0) + (holders?.count ?? 0) * 80
    }
}
