internal import CSystemd
internal import Glibc
internal import Synchronization

/// A thread of its own for work that blocks: jobs run one after the other, in the order in which they were given.
package final class WorkerThread: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct State: ~Copyable {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = Semaphore()
    private let done = Semaphore()

    /// - Parameters:
    ///   - name: shown by `top -H` and `ps -L`; at most 15 bytes.
    ///   - niceness: 0 is normal, 19 runs only when nobody else wants the processor.
    package init(name: String, niceness: Int32 = 0) {
        let body = Unmanaged.passRetained(Body(thread: self, name: String(name.prefix(15)), niceness: niceness))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                // The pointer is the one retained above, handed over exactly once.
                let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                body.run()
                return nil
            }, body.toOpaque())
        precondition(status == 0, "cannot start a thread: \(String(cString: strerror(status)))")
        pthread_detach(thread)
    }

    private final class Body {
        let thread: WorkerThread
        let name: String
        let niceness: Int32

        init(thread: WorkerThread, name: String, niceness: Int32) {
            self.thread = thread
            self.name = name
            self.niceness = niceness
        }

        func run() {
            hark_name_thread(name)
            // On Linux niceness belongs to the thread; 0 names the calling one.
            if niceness != 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            thread.work()
        }
    }

    package func perform(_ job: @escaping Job) {
        state.withLock { $0.jobs.append(job) }
        wake.signal()
    }

    /// Runs `body` on the thread and waits for what it gives, without blocking the caller's thread.
    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            perform {
                do throws(Failure) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Lets the jobs given so far finish, then ends the thread; returns when it is over.
    package func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
        done.wait()
    }

    private func work() {
        while true {
            wake.wait()
            let (jobs, isClosed) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isClosed)
            }
            for job in jobs { job() }
            if isClosed { break }
        }
        done.signal()
    }
}

/// A POSIX semaphore at a fixed address.
private final class Semaphore: @unchecked Sendable {
    // sem_t is made for concurrent use; the memory is never moved and lives as long as the object.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
