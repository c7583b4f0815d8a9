import HarkWire
import Testing

@Suite struct SocketPathTests {
    @Test(
        "the socket of a user is where the environment says, else where the machine has room for it",
        arguments: [
            (["HARK_SOCKET": "/s", "XDG_RUNTIME_DIR": "/r"], true, "/s"),
            (["XDG_RUNTIME_DIR": "/r"], true, "/r/hark/hark.sock"),
            (["HARK_SOCKET": "", "XDG_RUNTIME_DIR": "", "HOME": "/h"], true, "/run/user/7/hark/hark.sock"),
            (["HOME": "/h"], false, "/h/.local/state/hark/hark.sock"),
            (["HOME": "/h", "XDG_STATE_HOME": "/x"], false, "/x/hark/hark.sock"),
            (["HOME": "/h", "XDG_STATE_HOME": "/x", "HARK_STATE": "/s"], false, "/s/hark.sock"),
        ])
    func user(_ environment: [String: String], _ hasRuntimeFolder: Bool, _ path: String) {
        let found = SocketPath.user(
            environment: { environment[$0] }, uid: 7,
            isFolder: {
                hasRuntimeFolder && $0 == "/run/user/7"
            })
        #expect(found == path)
    }

    @Test(
        "the state of a user is in the folder for state",
        arguments: [
            (["HARK_STATE": "/s", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/s"),
            (["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/hark"), (["HOME": "/h"], "/h/.local/state/hark"),
            (["XDG_STATE_HOME": "", "HARK_STATE": "", "HOME": "/h"], "/h/.local/state/hark"),
        ])
    func state(_ environment: [String: String], _ path: String) {
        #expect(SocketPath.userState { environment[$0] } == path)
    }
}
