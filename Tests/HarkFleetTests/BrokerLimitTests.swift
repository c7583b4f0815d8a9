import HarkFleet
import Testing

/// The maximum length of messages, from a broker's announcements and behaviour.
@Suite struct BrokerLimitTests {
    private static let hour: Int64 = 3_600_000

    private static func connected(_ announced: Int? = nil) -> BrokerLimit {
        var limit = BrokerLimit()
        limit.connected(announced: announced)
        return limit
    }

    @Test("what it says when it lets somebody in holds at once")
    func announced() {
        let limit = Self.connected(50_000)
        #expect(limit.mostBytes(at: 0) == 50_000)
        #expect(limit.bound(for: 50_000, at: 0) == nil && limit.bound(for: 50_001, at: 0) == 50_000)
        #expect(Self.connected().mostBytes(at: 0) == .max && Self.connected().bound(for: 1 << 30, at: 0) == nil)
    }

    @Test("what it refuses is halved until it passes, however low its limit is; a record as long is given up")
    func refused() {
        var limit = Self.connected()
        var tries = 0
        var bytes = 100_000
        while bytes > 300, tries < 100 {
            limit.sent(bytes, at: 0)
            limit.refuse(bytes, at: 0)
            bytes = min(bytes, limit.mostBytes(at: 0))
            tries += 1
        }
        #expect(tries < 12 && bytes > 0)
        #expect(limit.bound(for: 100_000, at: 0) != nil && limit.bound(for: 200, at: 0) == nil)
        // A changed limit means a restarted broker. So the limit is found out again, starting from the last one.
        limit.connected(announced: nil)
        #expect(limit.bound(for: 100_000, at: 0) == nil && limit.mostBytes(at: 0) == bytes)
        #expect(limit.mostBytes(at: 3 * Self.hour) == bytes << 3 && limit.mostBytes(at: 100 * Self.hour) == .max)
    }

    @Test("a connection that ends by chance changes nothing, and one that ends over the same again and again does")
    func ends() {
        var limit = Self.connected()
        limit.sent(400, at: 0)
        limit.passed(400)
        func end(_ bytes: Int, after: Int64 = 100) {
            limit.sent(bytes, at: 0)
            limit.ended(at: after)
            limit.connected(announced: nil)
            limit.sent(400, at: 0)
            limit.passed(400)
        }
        // Long after it was sent, it was something else.
        for _ in 0..<9 { end(80_000, after: 60_000) }
        // A short message is never the cause.
        for _ in 0..<9 { end(4_000) }
        #expect(limit.mostBytes(at: 0) == .max && !limit.isDoubted)
        end(80_000)
        #expect(limit.mostBytes(at: 0) == .max && !limit.isDoubted)
        end(80_000)
        #expect(limit.mostBytes(at: 0) == 40_000 && limit.isDoubted && limit.bound(for: 80_000, at: 0) == nil)
        end(80_000)
        end(80_000)
        #expect(limit.bound(for: 80_000, at: 0) == 79_999 && limit.bound(for: 79_999, at: 0) == nil)
        // An hour after the last end, it is tried again.
        #expect(limit.bound(for: 80_000, at: Self.hour) == 79_999)
        #expect(limit.bound(for: 80_000, at: Self.hour + 100) == nil)
        limit.passed(80_000)
        #expect(limit.bound(for: 80_000, at: 0) == nil && !limit.isDoubted)
    }

    @Test("where nothing ever came through, a record is not what the connections end over")
    func nothing() {
        var limit = Self.connected()
        for _ in 0..<9 {
            limit.sent(80_000, at: 0)
            limit.ended(at: 1)
            limit.connected(announced: nil)
        }
        #expect(limit.bound(for: 80_000, at: 0) == nil)
    }

    @Test("what is never answered makes messages shorter, and is no proof")
    func unanswered() {
        var limit = Self.connected()
        limit.sent(80_000, at: 0)
        limit.unanswered(at: 0)
        #expect(limit.mostBytes(at: 0) == 40_000 && limit.bound(for: 80_000, at: 0) == nil)
        limit.sent(30_000, at: 0)
        limit.passed(30_000)
        limit.sent(30_000, at: 0)
        limit.unanswered(at: 0)
        #expect(limit.mostBytes(at: 0) == 40_000)
    }
}
