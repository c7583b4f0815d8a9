import Glibc

/// Waits for input of several descriptors.
package enum Input {
    /// Returns which of these descriptors have input, or a gone other end. A negative descriptor never has.
    ///
    /// - Parameter milliseconds: The timeout; -1 for none.
    @discardableResult
    package static func wait(for descriptors: CInt..., atMost milliseconds: CInt = -1) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&entries, nfds_t(entries.count), milliseconds) < 0, errno == EINTR {}
        return entries.map { $0.revents != 0 }
    }
}
