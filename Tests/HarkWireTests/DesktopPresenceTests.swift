import HarkWire
import Testing

@Suite struct DesktopPresenceTests {
    @Test(
        "a display or a session bus may be a desktop, and an empty name of a display is none",
        arguments: [
            ([:], false), (["DISPLAY": ":0"], true), (["WAYLAND_DISPLAY": "wayland-0"], true),
            (["DISPLAY": "", "WAYLAND_DISPLAY": ""], false), (["DBUS_SESSION_BUS_ADDRESS": "unix:path=/b"], true),
            (["XDG_RUNTIME_DIR": "/r"], true), (["XDG_RUNTIME_DIR": "/other"], false),
        ])
    func desktop(_ environment: [String: String], _ isPossible: Bool) {
        let found = DesktopPresence.isPossible(environment: { environment[$0] }, exists: { $0 == "/r/bus" })
        #expect(found == isPossible)
    }
}
