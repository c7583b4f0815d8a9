/// Whether a program may be in a desktop session, shared by the daemon and `hark agent`.
package enum DesktopPresence {
    /// False if there is neither a session bus nor a display, as on a server: nobody sees notifications there.
    ///
    /// - Parameter exists: Whether there is a file at a path.
    package static func isPossible(environment: (String) -> String?, exists: (String) -> Bool) -> Bool {
        hasSessionBus(environment: environment, exists: exists)
            || ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment($0) ?? "").isEmpty }
    }

    /// Whether there seems to be a session bus.
    package static func hasSessionBus(environment: (String) -> String?, exists: (String) -> Bool) -> Bool {
        environment("DBUS_SESSION_BUS_ADDRESS") != nil
            || environment("XDG_RUNTIME_DIR").map { exists($0 + "/bus") } ?? false
    }
}
