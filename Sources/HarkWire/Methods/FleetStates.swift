/// What a daemon is in its fleet.
package enum FleetRole: String, Sendable, CaseIterable {
    case machine, hub
}

/// How it stands with a fleet.
package enum FleetState: String, Sendable, CaseIterable {
    case connecting, alone, greeting, ready, standby, serving
}

/// What kind of thing keeps a daemon from its broker.
package enum FleetCause: String, Sendable, CaseIterable {
    case unreachable, login, rights, limit, setting, broker
}

/// What a hub has for its machines.
package enum FleetDocumentKind: String, Sendable, CaseIterable, Comparable {
    case surveys, forms, flags

    package static func < (left: FleetDocumentKind, right: FleetDocumentKind) -> Bool { left.rawValue < right.rawValue }
}
