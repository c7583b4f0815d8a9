import Glibc
package import HarkSystem
import Synchronization

/// The one event loop of a test process, on a thread of its own.
///
/// `DaemonActor` belongs to one thread for the whole process, so all tests share this loop, those of an in-process
/// daemon too: make objects of the daemon within `run`, with the loop it hands over, and drop them at the end (cancel
/// registrations such as turn-end hooks). Never call `run()` or `exit(code:)` on that loop. Every `@DaemonActor`
/// function and `DaemonActor.task { … }` works once
/// `LoopThread.shared` was touched.
package final class LoopThread: Sendable {
    package static let shared = LoopThread()

    private let ready = Mutex<EventLoop?>(nil)
    /// Tests start all at once. A loop and a machine shared by a thousand of them is so slow that none is done in time.
    private let places = Places(8)
    /// Whether a task has a place already.
    @TaskLocal private static var hasPlace = false

    private init() {
        // The tests talk to this machine without a proxy. Set here, before any thread reads the
        // environment: a change while another thread starts a program is a crash.
        setenv("no_proxy", "127.0.0.1,localhost", 1)
        var thread = pthread_t()
        let me = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { argument in
                let me = Unmanaged<LoopThread>.fromOpaque(argument!).takeUnretainedValue()
                DaemonActor.bindToCurrentThread()
                DaemonActor.assumeIsolated { me.main() }
                return nil
            }, me)
        precondition(result == 0, "pthread_create: \(result)")
    }

    @DaemonActor
    private func main() {
        do {
            let loop = try EventLoop()
            ready.withLock { $0 = loop }
            _ = try loop.run()
        } catch {
            fatalError("\(error)")
        }
    }

    /// Runs `body` on the loop's thread, with the loop, and returns its result.
    package func run<Value: Sendable>(
        _ body: @escaping @DaemonActor @Sendable (EventLoop) async throws -> Value
    ) async throws -> Value {
        if Self.hasPlace { return try await perform(body).get() }
        await places.take()
        let result = await Self.$hasPlace.withValue(true) { await perform(body) }
        await places.give()
        return try result.get()
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @DaemonActor @Sendable (EventLoop) async throws -> Value
    ) async -> Result<Value, any Error> {
        await DaemonActor.task {
            // The thread set it before it ran anything.
            let loop = self.ready.withLock { $0! }
            return await Result { try await body(loop) }
        }.value
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// The condition did not come true in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until `condition` holds, asking every millisecond; throws when `seconds` are over.
@DaemonActor
package func eventually(
    _ what: String, within seconds: Int = 180, _ condition: @DaemonActor () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw DeadlineExceeded(description: "not in time: \(what)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Lets everything begin that the loop was given before this call: jobs run in the order in which they come.
@DaemonActor
package func earlierJobs() async { await DaemonActor.task {}.value }
