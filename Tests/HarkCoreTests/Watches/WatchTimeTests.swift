import HarkCore
import HarkWire
import Testing

/// The time by which watches are judged.
@Suite struct WatchTimeTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour

    private static func after(_ milliseconds: Int64) -> Timestamp { start.adding(milliseconds: milliseconds) }

    @Test("while the clock is left alone, it is the clock, and small corrections move nothing")
    func alone() {
        var time = WatchTime(believed: Self.start, running: 5_000, lag: 0)
        #expect(time.now(5_000) == Self.start && time.now(5_000 + Self.hour) == Self.after(Self.hour))
        #expect(time.look(believed: Self.after(Self.hour), running: 5_000 + Self.hour, lag: 0) == nil)
        #expect(time.look(believed: Self.after(Self.hour + 59_000), running: 5_000 + Self.hour, lag: 0) == nil)
        #expect(time.wait(until: Self.after(2 * Self.hour), 5_000 + Self.hour) == Self.hour)
        #expect(time.wait(until: Self.start, 5_000 + Self.hour) == 0)
    }

    @Test(
        "a clock that is set ahead or back while the machine runs takes along what is counted from, before the run and in it"
    )
    func set() throws {
        for step in [2 * Self.day, -2 * Self.day, 400 * Self.day] {
            var time = WatchTime(believed: Self.start, running: 0, lag: 0)
            let looked = time.look(believed: Self.after(Self.hour + step), running: Self.hour, lag: 0)
            let shift = try #require(looked)
            #expect(time.now(Self.hour) == Self.after(Self.hour + step))
            #expect(shift(Self.after(-Self.hour)) == Self.after(step - Self.hour))
            #expect(shift(Self.after(Self.hour)) == Self.after(step + Self.hour))
            // So as much is left as before.
            #expect(time.look(believed: Self.after(2 * Self.hour + step), running: 2 * Self.hour, lag: 0) == nil)
        }
    }

    @Test(
        "what was not believed at the start, and is later, was time in which the machine was off; it counts for what came before"
    )
    func off() throws {
        let week = 7 * Self.day
        var time = WatchTime(believed: Self.start, running: 0, lag: week)
        #expect(time.look(believed: Self.after(Self.hour), running: Self.hour, lag: week) == nil)
        let looked = time.look(believed: Self.after(2 * Self.hour + week), running: 2 * Self.hour, lag: 0)
        let shift = try #require(looked)
        #expect(shift(Self.after(-Self.hour)) == Self.after(-Self.hour), "a week longer ago")
        #expect(shift(Self.after(Self.hour)) == Self.after(Self.hour + week), "as long ago as it was")
    }

    @Test("a clock that was wrong at the start and is put right is no time that went by")
    func putRight() {
        let year = 365 * Self.day
        var time = WatchTime(believed: Self.start, running: 0, lag: year)
        // Somebody sets it back to where it was believed to be.
        #expect(time.look(believed: Self.after(Self.hour), running: Self.hour, lag: 0) == nil)
        #expect(time.now(Self.hour) == Self.after(Self.hour))
    }
}
