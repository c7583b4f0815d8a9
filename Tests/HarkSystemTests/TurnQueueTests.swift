import Glibc
import HarkTesting
import Synchronization
import Testing

@testable import HarkSystem

/// Turns between users, and between the clients of one.
@Suite(.timeLimit(.minutes(2))) struct TurnQueueTests {
    private static func owner(_ uid: UInt32, _ client: UInt64 = 1) -> TurnOwner { TurnOwner(uid: uid, client: client) }

    @Test("who asks once waits for one of each other, however much they ask")
    func turns() {
        var queue = TurnQueue<String>()
        for number in 0..<64 { queue.append("a\(number)", of: Self.owner(1)) }
        for number in 0..<3 { queue.append("b\(number)", of: Self.owner(1, 2)) }
        queue.append("c", of: Self.owner(2))
        let first = (0..<7).map { _ in queue.takeNext() }
        #expect(first == ["a0", "c", "b0", "a1", "b1", "a2", "b2"])
        queue.append("d", of: Self.owner(3))
        #expect(queue.takeNext() == "a3" && queue.takeNext() == "d" && queue.takeNext() == "a4")
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
                let taken = queue.takeNext()
                #expect((taken == nil) == expected.values.allSatisfy(\.isEmpty))
                if let (owner, number) = taken { #expect(expected[owner]?.removeFirst() == number) }
            default: #expect(queue.removeAll(of: owner).map(\.1) == expected.removeValue(forKey: owner) ?? [])
            }
        }
        while let (owner, number) = queue.takeNext() { #expect(expected[owner]?.removeFirst() == number) }
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
