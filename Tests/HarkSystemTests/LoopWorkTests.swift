import Foundation
import Glibc
import HarkSystem
import HarkTesting
import Synchronization
import Testing

/// The sharing of the loop between tasks, posted work and sources.
@Suite struct LoopWorkTests {
    private typealias Seen = EventLoopTests.Seen

    /// Endless work for the loop: its own, and another thread's.
    private final class EndlessWork: Sendable {
        let isOver = Atomic<Bool>(false)
        private let waiting = Atomic<Int>(0)

        @DaemonActor static func take(microseconds: UInt64) {
            let start = SystemClock.monotonicMicroseconds
            while SystemClock.monotonicMicroseconds < start + microseconds {}
        }

        @DaemonActor func begin() {
            goOn()
            Thread.detachNewThread { [self] in
                while !isOver.load(ordering: .relaxed) {
                    guard waiting.load(ordering: .relaxed) < 4 else {
                        usleep(50)
                        continue
                    }
                    waiting.add(1, ordering: .relaxed)
                    DaemonActor.post { [self] in
                        EndlessWork.take(microseconds: 500)
                        waiting.subtract(1, ordering: .relaxed)
                    }
                }
                waiting.subtract(1, ordering: .relaxed)
            }
        }

        @DaemonActor private func goOn() {
            if !isOver.load(ordering: .relaxed) { DaemonActor.post { [self] in goOn() } }
        }

        /// Nothing of it is left when this returns.
        @DaemonActor func end() async throws {
            isOver.store(true, ordering: .relaxed)
            try await eventually("the thread has ended") { waiting.load(ordering: .relaxed) < 0 }
        }
    }

    @Test("sources have their share of a loop that other threads and the loop itself give work all the time")
    func share() async throws {
        try await LoopThread.shared.run { loop in
            let work = EndlessWork()
            let (near, far) = try socketPair()
            let turns = Seen<Int>()
            let dispatched = Seen<Int>()
            let hook = loop.onTurnEnd { turns.values.append(dispatched.values.count) }
            let source = try loop.watch(near, for: .write) { _ in
                EndlessWork.take(microseconds: 20)
                dispatched.values.append(1)
            }
            // All other tests need this loop in any case.
            defer {
                hook.cancel()
                source.cancel()
                close(near)
                close(far)
            }
            defer { work.isOver.store(true, ordering: .relaxed) }
            work.begin()
            try await eventually("it is called often") { dispatched.values.count >= 400 }
            // One for each turn, it would be, if what waits had all of the loop.
            #expect(turns.values.count < dispatched.values.count / 2)
            try await work.end()
        }
    }

    @Test("hundreds of tasks that take long leave the loop to what is posted and to sources, and go on in their order")
    func longTasks() async throws {
        try await LoopThread.shared.run { loop in
            let count = 300
            let seen = Seen<Int>()
            let (posted, dispatched) = (Seen<Int>(), Seen<Int>())
            let (near, far) = try socketPair()
            let source = try loop.watch(near, for: .read) { _ in dispatched.values.append(seen.values.count) }
            for number in 0..<count {
                DaemonActor.task {
                    if number == 0 {
                        // Like the report of a commit by another thread, and input of a client.
                        let hold = Hold()
                        startThread {
                            DaemonActor.post { posted.values.append(seen.values.count) }
                            hold.end()
                        }
                        hold.wait()
                        _ = write(far, "x", 1)
                    }
                    EndlessWork.take(microseconds: 1_000)
                    seen.values.append(number)
                }
            }
            try await eventually("all are done") { seen.values.count == count }
            source.cancel()
            close(near)
            close(far)
            #expect(seen.values == Array(0..<count))
            // Two fill the time that a turn has for them.
            #expect(posted.values.first ?? count <= 4)
            #expect(dispatched.values.first ?? count < count)
        }
    }

    @Test("tasks go on beside what is posted all the time")
    func tasksBesidePosts() async throws {
        try await LoopThread.shared.run { _ in
            let work = EndlessWork()
            let seen = Seen<Int>()
            defer { work.isOver.store(true, ordering: .relaxed) }
            work.begin()
            for number in 0..<20 {
                DaemonActor.task {
                    EndlessWork.take(microseconds: 3_000)
                    seen.values.append(number)
                }
            }
            try await eventually("all are done") { seen.values.count == 20 }
            #expect(seen.values == Array(0..<20))
            try await work.end()
        }
    }

    @Test("at the end of the loop all tasks that are due are done, however long they take")
    func lastTurn() async {
        await #expect(processExitsWith: .exitCode(30)) {
            DaemonActor.bindToCurrentThread()
            let code = DaemonActor.assumeIsolated { () -> Int32 in
                do {
                    let loop = try EventLoop()
                    let seen = Seen<Int>()
                    for number in 0..<30 {
                        DaemonActor.task {
                            EndlessWork.take(microseconds: 1_000)
                            seen.values.append(number)
                        }
                    }
                    DaemonActor.post { loop.exit(code: 0) }
                    return try loop.run() + Int32(seen.values.count)
                } catch {
                    return 1
                }
            }
            exit(code)
        }
    }
}
