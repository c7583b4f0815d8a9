import Glibc
import HarkSystem
import HarkTesting
import Synchronization
import Testing

@Suite struct DaemonActorTests {
    @Test("a task on the daemon actor runs on the loop's thread")
    func taskRunsOnLoop() async throws {
        try await LoopThread.shared.run { _ in #expect(DaemonActor.isCurrent) }
        #expect(!DaemonActor.isCurrent)
    }

    @Test("a task on the daemon actor comes back to it after work on another thread")
    func taskResumes() async throws {
        try await LoopThread.shared.run { _ in
            for _ in 0..<100 {
                let wasElsewhere = await withCheckedContinuation { continuation in
                    startThread { continuation.resume(returning: !DaemonActor.isCurrent) }
                }
                #expect(wasElsewhere)
                #expect(DaemonActor.isCurrent)
            }
        }
    }

    @Test("a task that calls a function of the actor goes on at once: nothing comes in between")
    func callsDoNotSuspend() async throws {
        @DaemonActor final class Story { var words: [String] = [] }
        @DaemonActor func tell(_ word: String, in story: Story) async { story.words.append(word) }
        let words = try await LoopThread.shared.run { _ in
            let story = Story()
            DaemonActor.post { story.words.append("in between") }
            await tell("one", in: story)
            await withCheckedContinuation { continuation in
                story.words.append("two")
                continuation.resume()
            }
            return story.words
        }
        #expect(words == ["one", "two"])
    }

    @Test("assumeIsolated runs at once, and its error comes out")
    func assumeIsolated() async throws {
        struct Oops: Error {}
        try await LoopThread.shared.run { _ in
            func unaware() throws -> Int { try DaemonActor.assumeIsolated { throw Oops() } }
            #expect(throws: Oops.self) { try unaware() }
            #expect(DaemonActor.assumeIsolated { 7 } == 7)
        }
    }

    @Test("assumeIsolated traps on any other thread")
    func assumeIsolatedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            DaemonActor.bindToCurrentThread()
            startThread {
                DaemonActor.assumeIsolated {}
                exit(EXIT_SUCCESS)
            }
            while true { pause() }
        }
    }

    @Test("a second thread cannot take the actor over")
    func secondBinding() async {
        await #expect(processExitsWith: .failure) {
            DaemonActor.bindToCurrentThread()
            DaemonActor.bindToCurrentThread()
            startThread {
                DaemonActor.bindToCurrentThread()
                exit(EXIT_SUCCESS)
            }
            while true { pause() }
        }
    }

    @Test("10,000 posts from each of four threads arrive, in order per thread")
    func postsKeepOrder() async throws {
        @DaemonActor final class Seen {
            var perThread = [[Int]](repeating: [], count: 4)
        }
        let seen = try await LoopThread.shared.run { _ in Seen() }
        for thread in 0..<4 {
            startThread {
                for number in 0..<10_000 {
                    DaemonActor.post { seen.perThread[thread].append(number) }
                    // Lets the loop fall asleep in between now and then, so that wake-ups are tried too.
                    if number % 1000 == 0 { usleep(500) }
                }
            }
        }
        try await LoopThread.shared.run { _ in
            try await eventually("all posts") { seen.perThread.allSatisfy { $0.count == 10_000 } }
            for numbers in seen.perThread { #expect(numbers == Array(0..<10_000)) }
        }
    }

    @Test("posts and jobs from the loop's own thread run after the current one, in order")
    func localOrder() async throws {
        @DaemonActor final class Seen {
            var order: [Int] = []
        }
        try await LoopThread.shared.run { _ in
            let seen = Seen()
            DaemonActor.post { seen.order.append(1) }
            DaemonActor.task { seen.order.append(2) }
            DaemonActor.post { seen.order.append(3) }
            DaemonActor.task { seen.order.append(4) }
            #expect(seen.order.isEmpty)
            try await eventually("four entries") { seen.order.count == 4 }
            // While tasks of other tests have the loop, posted work may overtake one; never the other way round.
            #expect([[1, 2, 3, 4], [1, 3, 2, 4]].contains(seen.order), "\(seen.order)")
        }
    }
}

/// Starts a real thread: the tests of threads should not depend on the pool of the Swift runtime.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let result = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    precondition(result == 0)
    pthread_detach(thread)
}
