import Glibc
import HarkClient
import HarkWire

/// A line is used by one reader of pages at a time, and closed when the last reference is released.
extension Line {
    /// Whether the daemon has closed it. With no reply pending, nothing else can be readable.
    var isOver: Bool {
        var entry = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Waits for a reply; throws on an interruption.
    ///
    /// - Parameter interruption: A descriptor that is readable when the statement is interrupted.
    func result(of id: Int64, unless interruption: CInt?) throws -> JSONText {
        if let interruption, !connection.hasNotification() {
            var entries = [connection.descriptor, interruption].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            while poll(&entries, 2, -1) < 0, errno == EINTR {}
            if entries[1].revents != 0 { throw SQLError(.interrupted, "interrupted") }
        }
        return try connection.result(of: id)
    }
}
