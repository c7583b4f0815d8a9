import Foundation
import HarkTesting
import HarkWire
import Testing

/// Clients that subscribe to everything and vanish in the worst moment.
@Suite(.endToEnd) struct VanishingTests {
    private static let rounds = 240

    private func vanish(_ home: DaemonHome, as prefix: [String] = []) throws {
        let daemon = try home.start()
        let program = home.files.path("vanishing.py")
        let source = "\(#filePath)".replacingOccurrences(of: "VanishingTests.swift", with: "vanishing.py")
        // Another user may not be able to read where the sources lie.
        try home.files.write(try String(contentsOfFile: source, encoding: .utf8), to: "vanishing.py")
        try check("chmod") { chmod(program, 0o644) }
        let run = try Child.run(
            prefix + ["/usr/bin/python3", "-B", program, home.socket, "\(Self.rounds)"], within: 300)
        #expect(run.ending == .exited(0), "\(run.errors)")
        #expect(daemon.child.isRunning, "\((try? daemon.errors) ?? "")")
        let observer = try daemon.connect()
        try waitUntil("they are noticed to be gone") {
            let clients = try observer.call("daemon.status")["clients"]
            return clients?["connections"] == 1 && clients?["subscriptions"] == 0
        }
    }

    @Test("subscribers that stop sending and vanish while they are told do not end the daemon")
    func own() throws {
        try vanish(try DaemonHome())
    }

    @Test("nor do those of another user end the daemon of the machine", .enabled(if: geteuid() == 0))
    func others() throws {
        let home = try DaemonHome()
        home.options = ["--system"]
        try check("chmod") { chmod(home.files.path, 0o755) }
        try vanish(home, as: ["setpriv", "--reuid", "65531", "--regid", "65531", "--clear-groups"])
    }
}
