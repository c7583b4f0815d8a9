/// Whom a daemon serves.
package enum DaemonMode: String, Sendable, CaseIterable {
    case user
    /// The whole machine.
    case system
}

/// Whether a daemon does its work.
package enum DaemonState: String, Sendable, CaseIterable {
    case running
    /// It cannot store.
    case degraded
}

/// How a source of systemd's journal stands.
package enum JournalState: String, Sendable, CaseIterable {
    /// All there is was looked at.
    case waiting
    case reading
    /// It cannot be read, or what is read cannot be stored.
    case failed
}

/// What a daemon can beside its methods.
package enum Feature: String, Sendable, CaseIterable {
    /// It records once what a producer sends again.
    case producer
}

/// How `daemon.status` is told.
package enum StatusFormat: String, Sendable, CaseIterable {
    case json
    /// OpenMetrics text.
    case openmetrics
}

/// The documents that make up a configuration.
package enum ConfigurationDocument: String, Sendable, CaseIterable {
    /// The settings, harkd.json.
    case harkd
    case surveys, forms
}

/// The policies of retention that have names.
package enum RetentionPreset: String, Sendable, CaseIterable {
    case none, long, conservative, standard, aggressive
}

/// Why retention removes something.
package enum RetentionRule: String, Sendable, CaseIterable {
    /// Too old.
    case age
    /// Beyond the number of sessions that are kept of a user.
    case count
    /// The store is larger than it may be.
    case size
}
