/// An error reply, as the client gets it.
package struct WireError: Error, Hashable, Sendable {
    package var reason: ErrorReason
    /// A sentence that says what to do.
    package var message: String
    /// The JSON path of the invalid member (`$.params.name`), if there is one.
    package var path: String?
    /// The status of an HTTP server that caused the error (`data.status`).
    package var status: Int?

    package init(_ reason: ErrorReason, _ message: String, path: String? = nil) {
        self.reason = reason
        self.message = message
        self.path = path
    }
}

extension WireError: CustomStringConvertible {
    package var description: String {
        if let path { "\(reason.rawValue) at \(path): \(message)" } else { "\(reason.rawValue): \(message)" }
    }
}
