/// What the daemon is started with.
package struct DaemonOptions: Sendable {
    package var isSystem = false
    package var paths: Paths
    /// The notify hook where the settings name none; nil: there is none.
    package var notifier: [String]?

    package init(isSystem: Bool, paths: Paths) {
        self.isSystem = isSystem
        self.paths = paths
    }
}
