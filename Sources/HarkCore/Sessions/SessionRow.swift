package import HarkWire

/// What becomes of sessions in the store.
package enum SessionRow: Sendable {
    case insert(Session)
    case end(row: Int64, at: Timestamp)
    /// Makes a session the current one of its scope; nil leaves the scope without one.
    case setCurrent(Scope, sessionRow: Int64?)
}
