import Testing

@testable import HarkSystem

@Suite struct QueueTests {
    @Test("the first to come is the first to go, however it is mixed")
    func order() {
        var queue = Queue<Int>()
        var (next, expected) = (0, 0)
        for round in 0..<500 {
            for _ in 0..<round % 7 {
                queue.append(next)
                next += 1
            }
            for _ in 0..<round % 5 where !queue.isEmpty {
                #expect(queue.popFirst() == expected)
                expected += 1
            }
            #expect(queue.count == next - expected)
            #expect(queue.all == Array(expected..<next))
        }
        while let first = queue.popFirst() {
            #expect(first == expected)
            expected += 1
        }
        #expect(expected == next && queue.isEmpty)
    }

    @Test("what was given away is not held on to")
    func letsGo() {
        final class Thing {}
        var queue = Queue<Thing>()
        weak var weakly: Thing?
        do {
            let thing = Thing()
            weakly = thing
            queue.append(thing)
            queue.append(Thing())
        }
        #expect(weakly != nil)
        _ = queue.popFirst()
        #expect(weakly == nil && queue.count == 1)
    }
}
