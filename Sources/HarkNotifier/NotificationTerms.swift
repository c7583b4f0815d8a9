/// The conditions for showing a notification.
package struct NotificationTerms: Sendable, Equatable {
    /// The maximum time it is shown while the person may see it, in seconds; 0 for the desktop's default.
    package var seconds = 0
    /// Whether the server gets this time as the timeout; if not, the server's default applies.
    package var tellsServer = false
    /// Whether it waits while notifications would disturb; if not, it is not shown then.
    package var waits = true

    package init(seconds: Int = 0, tellsServer: Bool = false, waits: Bool = true) {
        self.seconds = seconds
        self.tellsServer = tellsServer
        self.waits = waits
    }
}
