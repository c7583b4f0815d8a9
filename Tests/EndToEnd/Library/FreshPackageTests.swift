import Foundation
import Testing

/// Row D6: a package of somebody else's that depends on this one.
@Suite(.endToEnd) struct FreshPackageTests {
    @Test("D6: the example builds as a package of its own, and does what it says")
    func example() throws {
        let home = try DaemonHome()
        let daemon = try home.start()
        defer { daemon.child.kill() }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let package = home.files.path("DoorBell")
        try FileManager.default.copyItem(atPath: root + "/Examples/DoorBell", toPath: package)
        let manifest = package + "/Package.swift"
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        #expect(text.contains(#"path: "../..""#))
        try text.replacing(#"path: "../..""#, with: #"path: "\#(root)""#)
            .write(toFile: manifest, atomically: true, encoding: .utf8)
        // A fresh package has no products of an earlier run.
        try? FileManager.default.removeItem(atPath: package + "/.build")

        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let run = try Child(
            ["swift", "run", "--package-path", package],
            environment: ["HARK_SOCKET": home.socket, "PATH": path, "HOME": home.files.path("")],
            errors: home.files.path("output"))
        let ending = try run.wait(within: 900)
        let output = try String(contentsOfFile: home.files.path("output"), encoding: .utf8)
        #expect(ending == .exited(0), "\(output)")
        #expect(output.contains("session ") && output.contains(" of ada"))
        #expect(output.contains(#"heard bell_rung ["#))
        #expect(output.contains("somebody has rung 3 times"))
        #expect(output.contains("4 events in this session"))
    }
}
