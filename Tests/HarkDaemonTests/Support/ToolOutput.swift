import Foundation
import HarkSettings
import HarkTesting
import Synchronization
import Testing

@testable import HarkDaemon

extension DaemonFixture {
    /// The folder of the programs that were built with the tests.
    nonisolated static var folderOfPrograms: String {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        return ProcessInfo.processInfo.environment["HARK_BIN_DIR"] ?? own
    }

    /// The output of `hark` with this daemon.
    func hark(_ arguments: [String]) async throws -> String {
        let program = Self.folderOfPrograms + "/hark"
        let output = folder.path + "/output"
        try Data().write(to: URL(fileURLWithPath: output))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ["HARK_SOCKET": options.paths.socket, "HOME": folder.path, "TZ": "UTC"]
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardOutput = file
        process.standardInput = FileHandle.nullDevice
        let over = Over()
        process.terminationHandler = { _ in over.note() }
        try process.run()
        try await eventually("hark \(arguments.joined(separator: " ")) ends") { over.isOver }
        try file.close()
        #expect(process.terminationStatus == 0, "hark \(arguments.joined(separator: " "))")
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self)
    }
}

/// Whether a program has ended.
private final class Over: Sendable {
    private let state = Mutex(false)

    var isOver: Bool { state.withLock { $0 } }

    func note() { state.withLock { $0 = true } }
}
