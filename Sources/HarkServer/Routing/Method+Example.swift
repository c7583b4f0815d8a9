extension Method {
    /// A request and the reply to it, as JSON text, for the documentation and the tests alike.
    ///
    /// The tests send each to a fresh daemon and compare the reply with the one here: the same members in the same
    /// order, with equal values. Three kinds of values stand for others: an id for some id (the same id for the same
    /// one), a time for some time, a path from the root for some path. And of the members in `varying` only the type
    /// has to be that of the value here.
    package struct Example: Sendable {
        /// Whole requests to send before; the documentation does not show their replies.
        package var before: [String] = []
        package let params: String
        package let result: String
        /// The notifications that follow the reply.
        package var notifications: [String] = []

        package init(before: [String] = [], params: String, result: String, notifications: [String] = []) {
            self.before = before
            self.params = params
            self.result = result
            self.notifications = notifications
        }

        /// Members that differ from run to run and from machine to machine.
        static let varying: Set<String> = [
            "version", "capabilities", "uid", "pid", "uptimeSeconds", "bytes", "walBytes", "freeBytes", "memoryBytes",
            "eventsPerSecond1m", "eventsPerSecond5m", "count", "p50Microseconds", "p99Microseconds", "lastBatch",
            "text", "problem", "network", "info", "methods", "components", "dayOne", "studyDay",
        ]
    }
}
