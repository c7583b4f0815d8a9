import Foundation
import HarkTesting
import Testing

/// Runs each test on a thread of its own, which it may block, and only a few of them at a time.
///
/// Tests of the real programs wait for other processes most of the time. On Swift's own threads, of which there are as
/// many as processors, they would hold up every other test.
struct EndToEndTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    private static let places = Places(max(2, ProcessInfo.processInfo.activeProcessorCount))

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.places.take()
        let thread = OwnThread()
        let result = await Result { try await withTaskExecutorPreference(thread) { try await function() } }
        thread.end()
        await Self.places.give()
        try result.get()
    }
}

extension Trait where Self == EndToEndTrait {
    /// For every suite that starts `harkd` or `hark`.
    static var endToEnd: EndToEndTrait { EndToEndTrait() }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// A thread that runs the jobs of one task.
private final class OwnThread: TaskExecutor {
    private let jobs = JobQueue()

    init() {
        let jobs = jobs
        let executor = asUnownedTaskExecutor()
        Thread.detachNewThread {
            Thread.current.name = "end-to-end"
            while let job = jobs.next() { job.runSynchronously(on: executor) }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job)) }

    func end() { jobs.add(nil) }
}

private final class JobQueue: @unchecked Sendable {
    // Everything below is touched with the lock held.
    private let lock = NSCondition()
    private var jobs: [UnownedJob?] = []

    func add(_ job: UnownedJob?) {
        lock.withLock {
            jobs.append(job)
            lock.signal()
        }
    }

    /// The next job; nil at the end.
    func next() -> UnownedJob? {
        lock.withLock {
            while jobs.isEmpty { lock.wait() }
            return jobs.removeFirst()
        }
    }
}
