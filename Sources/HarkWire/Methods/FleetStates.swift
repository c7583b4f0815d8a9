/// The role of a daemon in its fleet.
package enum FleetRole: String, Sendable, CaseIterable {
    case machine, hub
}

/// The state of the connection to a fleet.
package enum FleetState: String, Sendable, CaseIterable {
    case connecting, alone, greeting, ready, standby, serving
}

/// The kind of problem between a daemon and its broker.
package enum FleetCause: String, Sendable, CaseIterable {
    case unreachable, login, rights, limit, setting, broker
}

/// The kinds of documents that a hub has for its machines.
package enum FleetDocumentKind: String, Sendable, CaseIterable, Comparable {
    case surveys, forms, flags

    package static func < (left: FleetDocumentKind, right: FleetDocumentKind) -> Bool { left.rawValue < right.rawValue }
}
