package import HarkWire

/// A change in the store to sessions.
package enum SessionRow: Sendable {
    case insert(Session)
    case end(row: Int64, at: Timestamp)
    /// Sets the current session of a scope; nil for none.
    case setCurrent(Scope, sessionRow: Int64?)
}
