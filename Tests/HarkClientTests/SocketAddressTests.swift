import Glibc
import HarkClient
import Testing

@Suite struct SocketAddressTests {
    @Test(
        "the socket is looked for where the environment says",
        arguments: [
            (["HARK_SOCKET": "/x/y.sock", "XDG_RUNTIME_DIR": "/run/user/7"], ["/x/y.sock"]),
            (["XDG_RUNTIME_DIR": "/tmp/r"], ["/tmp/r/hark/hark.sock", "/run/hark/hark.sock"]),
            (["HARK_SOCKET": "", "XDG_RUNTIME_DIR": ""], ["/run/user/7/hark/hark.sock", "/run/hark/hark.sock"]),
            ([:], ["/run/user/7/hark/hark.sock", "/run/hark/hark.sock"]),
        ])
    func candidates(environment: [String: String], expected: [String]) {
        let places = SocketAddress.candidates(
            environment: { environment[$0] }, userId: 7, isThere: { $0 == "/run/user/7" })
        #expect(places.map(\.path) == expected)
    }

    @Test("without any runtime folder the socket is where the daemon then puts it: in the state folder")
    func noRuntimeFolder() {
        let places = SocketAddress.candidates(
            environment: { $0 == "HOME" ? "/h" : nil }, userId: 7, isThere: { _ in false })
        #expect(places.map(\.path) == ["/h/.local/state/hark/hark.sock", "/run/hark/hark.sock"])
    }

    @Test(
        "an account that has enabled a daemon of its own is given no other, logged in or not",
        arguments: [
            (["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/7"], "/h/.config", "/run/user/7/hark/hark.sock"),
            (["HOME": "/h"], "/h/.config", "/h/.local/state/hark/hark.sock"),
            (["HOME": "/h", "XDG_CONFIG_HOME": "/c"], "/c", "/h/.local/state/hark/hark.sock"),
        ])
    func ownByChoice(environment: [String: String], settings: String, path: String) {
        let choice = settings + "/systemd/user/sockets.target.wants/harkd.socket"
        let places = SocketAddress.candidates(
            environment: { environment[$0] }, userId: 7, isThere: { $0 == choice })
        #expect(places.map(\.path) == [path])
    }

    @Test("without a daemon the error names every place that was tried and how to start it")
    func nobody() {
        let places = ["/nonexistent/a.sock", "/nonexistent/b.sock"].map { SocketAddress(path: $0) }
        #expect {
            _ = try Connection(to: places)
        } throws: { error in
            let error = error as? ClientError
            return error?.code == .notRunning && error?.message.contains("/nonexistent/a.sock") == true
                && error?.message.contains("/nonexistent/b.sock") == true && error?.hint?.contains("harkd") == true
        }
    }

    @Test("a socket nobody listens on is an error: the next place is not tried")
    func stale() throws {
        let path = "/tmp/hark-test-\(getpid())-stale.sock"
        defer { unlink(path) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        close(listener)
        #expect {
            _ = try Connection(to: [SocketAddress(path: path), SocketAddress(path: "/nonexistent/b.sock")])
        } throws: { error in
            let message = (error as? ClientError)?.message ?? ""
            return message.contains("nobody listens") && !message.contains("b.sock")
        }
    }

    @Test("a path too long for a socket is told as that")
    func tooLong() {
        let place = SocketAddress(path: "/" + String(repeating: "x", count: 200))
        #expect {
            _ = try Connection(to: [place])
        } throws: { error in
            (error as? ClientError)?.message.contains("107 bytes") == true
        }
    }
}
