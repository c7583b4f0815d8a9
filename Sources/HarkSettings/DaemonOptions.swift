/// The options of the daemon's command line.
package struct DaemonOptions: Sendable {
    package var isSystem = false
    package var paths: Paths
    /// The notify hook if the settings name none; nil for none.
    package var notifier: [String]?

    package init(isSystem: Bool, paths: Paths) {
        self.isSystem = isSystem
        self.paths = paths
    }
}
