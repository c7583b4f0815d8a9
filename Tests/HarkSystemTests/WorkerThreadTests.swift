import Dispatch
import Glibc
import HarkSystem
import Synchronization
import Testing

/// Jobs on a thread of their own, and what becomes of them when there is none.
@Suite struct WorkerThreadTests {
    @Test("without a thread jobs are done by whoever gives them, in order, until a thread can be had")
    func standIn() {
        let attempts = Mutex(0)
        let thread = WorkerThread(name: "test-worker") { worker in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            return attempt < 4 ? EAGAIN : WorkerThread.startThread(worker)
        }
        let done = Mutex<[(job: Int, thread: pthread_t)]>([])
        @Sendable func note(_ job: Int) { done.withLock { $0.append((job, pthread_self())) } }
        thread.perform {
            note(1)
            // It waits for its turn.
            thread.perform { note(3) }
            note(2)
        }
        #expect(done.withLock { $0.map(\.job) } == [1, 2, 3])
        thread.perform { note(4) }
        thread.perform { note(5) }
        thread.close()
        let ran = done.withLock { $0 }
        #expect(ran.map(\.job) == [1, 2, 3, 4, 5])
        #expect(ran.map { $0.thread == pthread_self() } == [true, true, true, true, false])
        #expect(attempts.withLock { $0 } == 4)
    }

    @Test("a worker that never had a thread can be closed")
    func neverStarted() {
        let thread = WorkerThread(name: "test-worker") { _ in EAGAIN }
        let done = Mutex(0)
        thread.perform { done.withLock { $0 += 1 } }
        thread.close()
        #expect(done.withLock { $0 } == 1)
    }

    @Test("a short job is done by whoever gives it, but only between the thread's own")
    func here() {
        let thread = WorkerThread(name: "test-worker")
        let done = Mutex<[(job: Int, thread: pthread_t)]>([])
        @Sendable func note(_ job: Int) { done.withLock { $0.append((job, pthread_self())) } }
        let me = pthread_self()
        thread.performHere {
            note(1)
            // The thread wakes up for it at once, and must wait.
            thread.perform { note(3) }
            thread.performHere { note(4) }
            // Time enough for it to do wrong.
            usleep(20_000)
            note(2)
        }
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        thread.perform {
            note(5)
            begun.signal()
            goOn.wait()
        }
        begun.wait()
        thread.performHere { note(6) }
        goOn.signal()
        thread.close()
        let ran = done.withLock { $0 }
        #expect(ran.map(\.job) == [1, 2, 3, 4, 5, 6])
        #expect(ran.map { $0.thread == me } == [true, true, false, false, false, false])
        thread.performHere { note(7) }
        #expect(done.withLock { $0.count } == 6, "it is closed")
    }
}
