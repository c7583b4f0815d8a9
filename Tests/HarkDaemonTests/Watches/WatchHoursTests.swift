import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Watches that count only at some hours and days.
@Suite(.timeLimit(.minutes(45))) struct WatchHoursTests {
    @Test("time outside the hours that are named does not count, over restarts too, and no night is an alarm")
    func hours() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null,"archive":false}"#) { fixture in
            var client = try fixture.connect()
            // The hour after next by the clock on the wall here, and the one behind it.
            let now = fixture.clock.now.milliseconds
            let hour = (now + LocalDay.offset(atMilliseconds: now)) / 3_600_000 % 24
            func clock(_ hour: Int64) -> String { (hour % 24 < 10 ? "0" : "") + "\(hour % 24):00" }
            let between = "\(clock(hour + 2))-\(clock(hour + 4))"
            let added = try await client.call(
                "watch.add", #"{"id":"till","everySeconds":6000,"between":"\#(between)","days":"mon-sun"}"#)
            #expect(added["watch"]?["between"]?.stringValue == between && added["watch"]?["days"] == "mon-sun")
            // At most so much of those hours has passed then, and so much is left: 84 and 96 minutes.
            fixture.clock.advance(seconds: 2.4 * 3_600)
            #expect(try await fixture.told() == [])
            try await fixture.restart()
            client = try fixture.connect()
            try await client.call("event.record", #"{"name":"till"}"#)
            #expect(try await client.watch()["between"]?.stringValue == between)
            fixture.clock.advance(seconds: 1.4 * 3_600)
            #expect(try await fixture.told() == [])
            fixture.clock.advance(seconds: 22.2 * 3_600)
            #expect(try await fixture.told() == [])
            fixture.clock.advance(seconds: 0.2 * 3_600)
            let told = try await fixture.told()
            #expect(told.map(\.name) == ["watch.missed"])
            #expect(told.first?.properties["between"]?.stringValue == between)
        }
    }

    @Test("hours and days that are none are refused by their names")
    func wrongHours() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null,"archive":false}"#) { fixture in
            let client = try fixture.connect()
            for (member, value) in [("between", "9-17"), ("days", "weekdays")] {
                let reply = try await client.ask("watch.add", #"{"id":"x","everySeconds":60,"\#(member)":"\#(value)"}"#)
                #expect(reply["error"]?["data"]?["path"]?.stringValue == "$.params.\(member)")
            }
        }
    }
}
