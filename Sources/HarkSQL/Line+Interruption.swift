import HarkClient
import HarkWire

/// A line is used by one reader of pages at a time, and closed when the last reference is released.
extension Line {
    /// Whether the daemon has closed it. With no reply pending, nothing else can be readable.
    var isOver: Bool { Input.wait(for: connection.descriptor, atMost: 0).contains(true) }

    /// Waits for a reply; throws on an interruption.
    ///
    /// - Parameter interruption: A descriptor that is readable when the statement is interrupted.
    func result(of id: Int64, unless interruption: CInt?) throws -> JSONText {
        if let interruption, !connection.hasNotification() {
            let ready = Input.wait(for: connection.descriptor, interruption)
            if ready[1] { throw SQLError(.interrupted, "interrupted") }
        }
        return try connection.result(of: id)
    }
}
