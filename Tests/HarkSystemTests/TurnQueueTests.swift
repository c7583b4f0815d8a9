import Glibc
import HarkTesting
import Synchronization
import Testing

@testable import HarkSystem

/// Turns between users, and between the clients of one.
@Suite(.timeLimit(.minutes(45))) struct TurnQueueTests {
    private static func owner(_ uid: UInt32, _ client: UInt64 = 1) -> TurnOwner { TurnOwner(uid: uid, client: client) }

    @Test("who asks once waits for one of each other, however much they ask")
    func turns() {
        var queue = TurnQueue<String>()
        for number in 0..<64 { queue.append("a\(number)", of: Self.owner(1)) }
        for number in 0..<3 { queue.append("b\(number)", of: Self.owner(1, 2)) }
        queue.append("c", of: Self.owner(2))
        let first = (0..<7).map { _ in queue.takeNext(at: 0) }
        #expect(first == ["a0", "c", "b0", "a1", "b1", "a2", "b2"])
        queue.append("d", of: Self.owner(3))
        #expect(queue.takeNext(at: 0) == "a3" && queue.takeNext(at: 0) == "d" && queue.takeNext(at: 0) == "a4")
    }

    @Test("the user who had least lately comes first, and what was had is forgotten in time")
    func shares() {
        var queue = TurnQueue<String>()
        for uid: UInt32 in 1...3 {
            for number in 0..<3 { queue.append("\(uid)-\(number)", of: Self.owner(uid)) }
        }
        queue.spend(9_000, by: 1, at: 1_000)
        queue.spend(5_000, by: 2, at: 1_000)
        #expect((0..<4).map { _ in queue.takeNext(at: 1_000) } == ["3-0", "3-1", "3-2", "2-0"])
        queue.spend(8_000, by: 2, at: 1_000)
        #expect(queue.takeNext(at: 1_000) == "1-0")
        // Nobody has used anything lately, so the longest waiting one is next.
        #expect((0..<4).map { _ in queue.takeNext(at: 1_000_000_000) } == ["2-1", "1-1", "2-2", "1-2"])
    }

    @Test("who had much of the thread waits for a user who had nothing of it")
    func newcomer() async {
        let thread = TurnThread(name: "test-turns")
        let (hold, done) = (Hold(), Done())
        _ = await thread.run(for: Self.owner(1)) { usleep(20_000) }
        async let busy: Void? = thread.run(for: .daemon) { hold.wait() }
        while !hold.isReached { await Task.yield() }
        async let first = thread.run(for: Self.owner(1)) { done.add(1) }
        while thread.count < 1 { await Task.yield() }
        async let second = thread.run(for: Self.owner(2)) { done.add(2) }
        while thread.count < 2 { await Task.yield() }
        hold.end()
        _ = await (busy, first, second)
        #expect(done.all == [2, 1])
        thread.close()
    }

    @Test("what one client asks for keeps its order, and nothing is lost or doubled", arguments: 0..<20)
    func random(_ seed: Int) {
        var generator = SystemRandomNumberGenerator()
        var queue = TurnQueue<(TurnOwner, Int)>()
        var expected: [TurnOwner: [Int]] = [:]
        for number in 0..<2_000 {
            let owner = Self.owner(.random(in: 0...3, using: &generator), .random(in: 0...3, using: &generator))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                queue.append((owner, number), of: owner)
                expected[owner, default: []].append(number)
            case 5..<9:
                let taken = queue.takeNext(at: 0)
                #expect((taken == nil) == expected.values.allSatisfy(\.isEmpty))
                if let (owner, number) = taken { #expect(expected[owner]?.removeFirst() == number) }
            default: #expect(queue.removeAll(of: owner).map(\.1) == expected.removeValue(forKey: owner) ?? [])
            }
        }
        while let (owner, number) = queue.takeNext(at: 0) { #expect(expected[owner]?.removeFirst() == number) }
        #expect(expected.values.allSatisfy(\.isEmpty) && queue.isEmpty)
    }

    @Test("what waits of somebody who is gone is not done, and whoever awaits it is told")
    func forgotten() async {
        let thread = TurnThread(name: "test-turns")
        let hold = Hold()
        let done = Done()
        async let busy: Void? = thread.run(for: .daemon) { hold.wait() }
        async let gone = thread.run(for: Self.owner(1)) { done.add(1) }
        async let kept = thread.run(for: Self.owner(1, 2)) { done.add(2) }
        // The limit of the suite is the end of this, too.
        while thread.count < 2 { await Task.yield() }
        thread.forget(Self.owner(1))
        #expect(await gone == nil)
        hold.end()
        _ = await (busy, kept)
        #expect(done.all == [2])
        thread.close()
    }

    private final class Done: Sendable {
        private let numbers = Mutex<[Int]>([])

        func add(_ number: Int) { numbers.withLock { $0.append(number) } }

        var all: [Int] { numbers.withLock { $0 } }
    }
}
