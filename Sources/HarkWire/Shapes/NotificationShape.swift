/// The definition of a subscription's notification, shared by daemon and clients.
package struct NotificationShape: Sendable {
    package let name: String
    /// One sentence without a full stop.
    package let meaning: String
    /// The params other than `subscription`, which all notifications have.
    package let params: [Shape.Member]

    package init(_ name: String, _ meaning: String, params: [Shape.Member]) {
        self.name = name
        self.meaning = meaning
        self.params = params
    }
}
