/// The paths of a user's socket and of the machine's, shared by the daemon and its clients.
package enum SocketPath {
    package static let system = "/run/hark/hark.sock"

    /// Returns the path of a user's socket. `HARK_SOCKET` wins; else `$XDG_RUNTIME_DIR/hark/hark.sock`, with
    /// `/run/user/<uid>` if the variable is not set (cron, sudo) but the folder exists; else, without a runtime folder,
    /// it is in the state folder.
    ///
    /// - Parameter isFolder: Whether a folder exists at a path.
    package static func user(
        environment: (String) -> String?, uid: UInt32, isFolder: (String) -> Bool
    ) -> String {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let path = value("HARK_SOCKET") { return path }
        if let runtime = value("XDG_RUNTIME_DIR") { return runtime + "/hark/hark.sock" }
        if isFolder("/run/user/\(uid)") { return "/run/user/\(uid)/hark/hark.sock" }
        return userState(environment: environment) + "/hark.sock"
    }

    /// Returns the state folder of a user's daemon: `HARK_STATE`, else `$XDG_STATE_HOME/hark`, else
    /// `~/.local/state/hark`.
    package static func userState(environment: (String) -> String?) -> String {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let path = value("HARK_STATE") { return path }
        return (value("XDG_STATE_HOME") ?? (value("HOME") ?? "") + "/.local/state") + "/hark"
    }
}
