import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// The properties of many records lie in a few pieces of memory.
@Suite struct PropertyPoolTests {
    private static func pack(_ members: [(String, PropertyValue)], in pool: PropertyPool) throws -> Properties {
        let size = members.reduce(0) { size, member in
            let least = size + member.0.utf8.count + Properties.memberOverhead
            guard case .string(let text) = member.1 else { return least }
            return least + text.utf8.count
        }
        return try pool.pack {
            size
        } _: { packer throws(WireError) in
            for (key, value) in members {
                let key = Array(key.utf8)
                let isDone = key.withUnsafeBufferPointer { key in
                    switch value {
                    case .string(let text):
                        return Array(text.utf8).withUnsafeBufferPointer { text in
                            guard packer.hasRoom(key: key, text: text.count) else { return false }
                            packer.append(key: key, string: text)
                            return true
                        }
                    case .integer(let number):
                        guard packer.hasRoom(key: key, text: 0) else { return false }
                        packer.append(key: key, integer: number)
                        return true
                    default: return true
                    }
                }
                if !isDone { return false }
            }
            return true
        }
    }

    private static func text(_ count: Int) -> [(String, PropertyValue)] {
        [("text", .string(String(repeating: "x", count: count)))]
    }

    @Test("whatever comes behind them, properties stay what they were")
    func random() throws {
        var random = SplitMix64(state: 1)
        let pool = PropertyPool()
        var all: [(Properties, Properties)] = []
        for number in 0..<3_000 {
            let count = random.once(in: 100) ? 70_000 : random.below(300)
            var members = random.once(in: 10) ? [] : Self.text(count)
            if random.once(in: 2) { members.append(("n", .integer(Int64(number)))) }
            let whole = Properties(members)
            if random.once(in: 3) {
                all.append((whole.withBytes { pool.copy($0) }, whole))
            } else {
                all.append((try Self.pack(members, in: pool), whole))
            }
            if random.once(in: 4), var longer = all.last {
                // It has memory of its own then, and must not change the bytes behind it in the pool.
                longer.0.append("more", .bool(true))
                longer.1.append("more", .bool(true))
                all.append(longer)
            }
        }
        for (pooled, own) in all { #expect(pooled == own) }
    }

    @Test("small ones share memory, a large one has its own, and those behind it share again")
    func shared() throws {
        let pool = PropertyPool()
        let first = try Self.pack(Self.text(100), in: pool)
        let large = try Self.pack(Self.text(30_000), in: pool)
        let second = try Self.pack(Self.text(100), in: pool)
        #expect(first.memory != nil && first.memory === second.memory)
        #expect(large.memory !== first.memory && large.byteCount > 30_000)
        #expect(try Self.pack([], in: pool).memory == nil)
    }

    @Test("memory is given back once nothing lies in it")
    func givenBack() throws {
        let pool = PropertyPool()
        var all = [try Self.pack(Self.text(100), in: pool)]
        weak let memory = all[0].memory
        while all.last?.memory === memory { all.append(try Self.pack(Self.text(100), in: pool)) }
        all.removeFirst(all.count - 2)
        #expect(memory != nil)
        all.removeFirst()
        #expect(memory == nil)
    }

    @Test("what is refused while it is packed leaves nothing behind")
    func refused() throws {
        let pool = PropertyPool()
        let before = try Self.pack(Self.text(10), in: pool)
        #expect(throws: WireError.self) {
            try pool.pack {
                100
            } _: { packer throws(WireError) in
                [UInt8]("key".utf8).withUnsafeBufferPointer { packer.append(key: $0, integer: 7) }
                throw WireError(.invalidParams, "no")
            }
        }
        let after = try Self.pack(Self.text(20), in: pool)
        #expect(before == Properties(Self.text(10)))
        #expect(after == Properties(Self.text(20)))
    }

    @Test("what is given back makes room for the next, unless others lie behind it")
    func takeBack() throws {
        let pool = PropertyPool()
        func pack(_ number: Int64) -> Properties? {
            let key: [UInt8] = [97]
            return key.withUnsafeBufferPointer { key in
                pool.pack(atMost: 32) { packer in
                    packer.append(key: key, integer: number)
                    return number >= 0
                }
            }
        }
        func start(_ properties: Properties) -> UnsafePointer<UInt8>? { properties.withBytes { $0.baseAddress } }
        let first = try #require(pack(1))
        #expect(pack(-1) == nil)
        let second = try #require(pack(2))
        #expect(start(second) == start(first).map { $0 + first.byteCount })
        let place = start(second)
        pool.takeBack(second)
        let third = try #require(pack(3))
        #expect(start(third) == place)
        pool.takeBack(first)
        let fourth = try #require(pack(4))
        #expect(start(fourth) == place.map { $0 + third.byteCount })
        #expect([first, third, fourth].map { $0["a"] } == [.integer(1), .integer(3), .integer(4)])
        pool.takeBack(.none)
        #expect(pool.pack(atMost: 1 << 20) { _ in true } == nil)
    }
}
