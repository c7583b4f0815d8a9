import Glibc
import HarkClient
import HarkWire

/// A connection that one reader of pages has to itself. It is closed with the last who holds it.
final class Line {
    var connection: Connection

    init(_ connection: consuming Connection) { self.connection = connection }

    /// Whether the daemon has ended it. Of one on which nothing is awaited, there is nothing to read but that.
    var isOver: Bool {
        var entry = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Waits for a reply, or throws when somebody interrupts.
    ///
    /// - Parameter interruption: a descriptor that is readable once somebody has.
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
