import Foundation
import HarkSystem
import HarkTesting
import HarkWire

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger
@testable import HarkSettings

/// A daemon within the test process: its own folder and socket, the loop of all tests, a clock that is moved by hand.
@DaemonActor
final class DaemonFixture {
    let clock = TestClock()
    let folder: TemporaryFolder
    private(set) var options: Daemon.Options
    private let families: [Family]
    let loop: EventLoop
    private(set) var daemon: Daemon
    private var kept: FixtureClient?
    private var isPersistent = false
    private let restarting = Turnstile()

    private init(
        loop: EventLoop, isSystem: Bool, families: [Family], configuration: String?, files: [String: String],
        reads: DocumentVersion?
    ) throws {
        folder = try TemporaryFolder(inMemory: true)
        self.loop = loop
        self.families = families
        var paths = Paths(isSystem: isSystem, environment: [:])
        paths.socket = folder.path + "/socket"
        paths.state = folder.path + "/state"
        paths.configuration = folder.path
        if let reads { paths.reads = reads }
        options = Daemon.Options(isSystem: isSystem, paths: paths)
        if let configuration { try DaemonFixture.write(configuration, to: paths.configurationFile) }
        for (name, text) in files { try DaemonFixture.write(text, to: "\(paths.configuration)/\(name)") }
        daemon = try DaemonFixture.start(options, families, loop, clock)
    }

    private static func start(
        _ options: Daemon.Options, _ families: [Family], _ loop: EventLoop, _ clock: TestClock
    ) throws -> Daemon {
        let daemon = try Daemon(
            options, loop: loop, families: families, clock: { clock.now }, readClocks: { clock.reading },
            showingClock: clock.showing)
        try daemon.serve()
        return daemon
    }

    /// Runs `body` with a daemon that serves, and ends the daemon in order even if `body` fails.
    nonisolated static func run(
        isSystem: Bool = false, families: [Family] = Family.all, configuration: String? = nil, surveys: String? = nil,
        forms: String? = nil,
        flags: String? = nil, reads: DocumentVersion? = nil,
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture) async throws -> Void
    ) async throws {
        try await LoopThread.shared.run { loop in
            let fixture = try DaemonFixture(
                loop: loop, isSystem: isSystem, families: families, configuration: configuration,
                files: ["surveys.json": surveys, "forms.json": forms, "flags.json": flags].compactMapValues(\.self),
                reads: reads)
            do {
                try await fixture.settleStart()
                try await body(fixture)
            } catch {
                await fixture.daemon.stop()
                throw error
            }
            await fixture.daemon.stop()
        }
    }

    /// Waits until what the start sets off is over, such as retention and removals of the run before: on a busy machine
    /// it would come in the middle of a test.
    private func settleStart() async throws {
        await earlierJobs()
        try await eventually("the start is over") { daemon.ledger.isSettled && !daemon.sweeper.isRunning }
    }

    func connect() throws -> FixtureClient {
        try FixtureClient(path: options.paths.socket, loop: loop)
    }

    /// A client that stays, for tests with many questions; one question at a time.
    func asker() throws -> FixtureClient {
        let client = try kept ?? connect()
        kept = client
        return client
    }

    /// A server for destinations that name this socket.
    func receiver(_ name: String = "server") throws -> Receiver {
        try Receiver(path: folder.path + "/" + name, loop: loop)
    }

    /// Ends the daemon and starts another one on its data, after `body` has changed them.
    ///
    /// - Parameter asking: the daemon that wants it; nothing is done where that is gone already.
    func restart(of asking: ObjectIdentifier? = nil, after body: () async throws -> Void = {}) async throws {
        await restarting.enter()
        defer { restarting.leave() }
        if let asking, asking != ObjectIdentifier(daemon) { return }
        kept = nil
        await daemon.stop()
        try await body()
        daemon = try DaemonFixture.start(options, families, loop, clock)
        if isPersistent { restartsByItself() }
    }

    /// Restarts as another version of Hark, which reads documents of a hub up to a version.
    func restart(reading version: DocumentVersion, after body: () async throws -> Void = {}) async throws {
        try await restart {
            options.paths.reads = version
            try await body()
        }
    }

    /// Restarts like a process, with nothing left of the old one: it waits until all connections to the store are
    /// closed, as threads of deliveries may keep some for a while.
    func restartAlone(of asking: ObjectIdentifier? = nil, after body: () async throws -> Void = {}) async throws {
        try await restart(of: asking) {
            // Such a thread has the lowest priority, and a busy machine keeps it waiting.
            for _ in 0..<240 where try isStoreOpen { try await Task.sleep(for: .milliseconds(500)) }
            try await body()
        }
    }

    private var isStoreOpen: Bool {
        get throws {
            let path = options.paths.state + "/hark.db"
            return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
            }
        }
    }

    /// From now on a daemon that wants to start again does.
    func restartsByItself() {
        isPersistent = true
        let asking = ObjectIdentifier(daemon)
        daemon.onRestart = { [weak self] _ in DaemonActor.task { try? await self?.restartAlone(of: asking) } }
    }

    /// Does the daemon's part of `hark repair`.
    func repair() async throws -> JSONValue {
        let told = try await connect().call("daemon.repair")
        guard told["restarts"] == true else { return told }
        if isPersistent { try await eventually("it is back") { !daemon.isStopping } } else { try await restartAlone() }
        let rest = try await connect().call("daemon.repair")
        return rest
    }

    /// Replaces `harkd.json`; the daemon has to be told.
    func configure(_ text: String) throws {
        try DaemonFixture.write(text, to: options.paths.configurationFile)
    }

    /// Replaces `surveys.json`. The daemon notices it later, or is told.
    func write(surveys text: String) throws {
        try DaemonFixture.write(text, to: options.paths.configuration + "/surveys.json")
    }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
