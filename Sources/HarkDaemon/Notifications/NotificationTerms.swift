/// On what terms a notification is shown.
struct NotificationTerms: Sendable, Equatable {
    /// How long it stays at most, while somebody may see it; 0: as long as the desktop likes.
    var seconds = 0
    /// Whether the server is asked to leave it there for as long; else it goes as soon as the server likes.
    var tellsServer = false
    /// Whether it waits while notifications would disturb; else it is not shown then.
    var waits = true
}
