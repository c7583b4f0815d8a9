/// The conditions for showing a notification.
struct NotificationTerms: Sendable, Equatable {
    /// The maximum time it is shown while somebody may see it, in seconds; 0 for the desktop's default.
    var seconds = 0
    /// Whether the server gets this time as the timeout; if not, the server's default applies.
    var tellsServer = false
    /// Whether it waits while notifications would disturb; if not, it is not shown then.
    var waits = true
}
