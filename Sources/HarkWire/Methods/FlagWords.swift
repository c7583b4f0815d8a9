/// The type in which a flag is read.
package enum FlagType: String, Sendable, CaseIterable {
    case bool, string, double, int
    /// Any type.
    case raw
}

/// The result of a check for new flags.
package enum FlagOutcome: String, Sendable, CaseIterable {
    case updated, unchanged, failed
    /// No flags are configured.
    case nowhere = "none"
}
