import HarkCore
import Testing

@Suite("What is at hand of the store") struct CacheTests {
    private typealias Numbers = Cache<Int, Int>

    private func keys(_ cache: Numbers) -> [Int] { cache.keys.sorted() }

    @Test("what was used longest ago goes, wherever it lies")
    func order() {
        var cache = Numbers(capacity: 4)
        for key in 1...4 { cache.admit(key, key) }
        let used = [1, 3, 9].map { cache.use($0) }
        #expect(used == [true, true, false])
        cache.admit(5, 5)
        #expect(keys(cache) == [1, 3, 4, 5])
        cache.admit(6, 6)
        #expect(keys(cache) == [1, 3, 5, 6])
        // Looking is no use.
        #expect(cache[1] == 1 && cache.contains(1))
        cache.admit(7, 7)
        #expect(keys(cache) == [3, 5, 6, 7])
    }

    @Test("what the store does not know yet stays, and makes no room scarce for what a command needs")
    func unsettled() {
        var cache = Numbers(capacity: 2)
        for key in 1...10 {
            cache.admit(key, 0)
            cache.change(key) { $0 += 1 }
        }
        cache.change(1) { $0 += 1 }
        cache.admit(11, 11)
        cache.admit(12, 12)
        #expect(keys(cache) == Array(1...12))
        cache.admit(13, 13)
        #expect(keys(cache) == Array(1...10) + [12, 13])

        let touched = cache.handOver()
        cache.change(1) { $0 += 1 }
        #expect(touched == Array(1...10) + [1])
        let settled = cache.settle()
        #expect(settled == Array(2...10))
        #expect(cache.isUnsettled(1) && !cache.isUnsettled(2))
        cache.admit(14, 14)
        #expect(keys(cache) == [1, 10, 14])
        let (more, last) = (cache.handOver(), cache.settle())
        #expect(more == [1] && last == [1] && cache[1] == 3)
        cache.admit(15, 15)
        #expect(keys(cache) == [1, 15])
    }

    @Test("what is held stays until it was let go of as often")
    func held() {
        var cache = Numbers(capacity: 2)
        cache.admit(1, 1)
        cache.hold(1)
        cache.hold(1)
        cache.letGo(1)
        for key in 2...9 { cache.admit(key, key) }
        #expect(keys(cache) == [1, 8, 9])
        cache.letGo(1)
        cache.letGo(1)
        cache.admit(10, 10)
        #expect(keys(cache) == [1, 10])
        cache.admit(11, 11)
        #expect(keys(cache) == [10, 11])
    }

    @Test("what weighs much goes sooner, but never what a command may need with it")
    func weight() {
        var cache = Numbers(capacity: 100, weightCapacity: 10, least: 2)
        for key in 1...5 { cache.admit(key, key, weight: 2) }
        cache.admit(6, 6, weight: 3)
        #expect(keys(cache) == [3, 4, 5, 6])
        cache.admit(7, 7, weight: 50)
        #expect(keys(cache) == [6, 7])
        cache.admit(8, 8, weight: 50)
        #expect(keys(cache) == [7, 8])
        cache.setWeight(1, of: 7)
        cache.addWeight(-49, to: 8)
        for key in 9...13 { cache.admit(key, key, weight: 1) }
        #expect(keys(cache) == Array(7...13))
    }

    @Test("some can be dropped, but not what must stay")
    func drop() {
        var cache = Numbers(capacity: 10)
        for key in 1...6 { cache.admit(key, key) }
        cache.change(2) { $0 = 20 }
        cache.hold(4)
        cache.drop { key, _ in key.isMultiple(of: 2) }
        #expect(keys(cache) == [1, 2, 3, 4, 5])
        cache.removeAll()
        let touched = cache.handOver()
        #expect(cache.count == 0 && touched.isEmpty && !cache.contains(1))
    }

    /// The same by a list in which everything is looked for.
    private struct Model {
        var row: [Int] = []
        var stays: [Int: Int] = [:]
        var unsettled: [Int] = []

        mutating func use(_ key: Int) {
            guard let place = row.firstIndex(of: key) else { return }
            row.append(row.remove(at: place))
        }

        mutating func keep(_ key: Int) {
            row.removeAll { $0 == key }
            stays[key, default: 0] += 1
        }

        mutating func free(_ key: Int) {
            guard let count = stays[key] else { return }
            stays[key] = count > 1 ? count - 1 : nil
            if count == 1 { row.append(key) }
        }
    }

    @Test("a long random walk ends where a simple list does")
    func walk() {
        var random = Numbers47()
        var cache = Numbers(capacity: 16)
        var model = Model()
        var held: [Int] = []
        for _ in 0..<50_000 {
            let key = Int(random.next() % 60)
            switch random.next() % 8 {
            case 0...2:
                if cache.use(key) {
                    model.use(key)
                } else {
                    cache.admit(key, key)
                    if model.row.count >= 16 { model.row.removeFirst(model.row.count - 15) }
                    model.row.append(key)
                }
            case 3...4 where cache.contains(key):
                cache.change(key) { $0 += 1 }
                model.keep(key)
                model.unsettled.append(key)
            case 5 where cache.contains(key):
                cache.hold(key)
                model.keep(key)
                held.append(key)
            case 6 where !held.isEmpty:
                let key = held.remove(at: Int(random.next() % UInt64(held.count)))
                cache.letGo(key)
                model.free(key)
            case 7:
                cache.handOver()
                cache.settle()
                for key in model.unsettled { model.free(key) }
                model.unsettled = []
            default: break
            }
            guard keys(cache) == (model.row + model.stays.keys).sorted() else {
                Issue.record("\(keys(cache)) is not \(model.row) and \(model.stays.keys.sorted())")
                return
            }
        }
    }

    /// Always the same numbers.
    private struct Numbers47 {
        var state: UInt64 = 47

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
