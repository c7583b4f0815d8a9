import Glibc
import HarkWire
import Testing

@testable import HarkTool

/// Buckets of time where clocks show Berlin's: put forward on March 29th and back on October 25th of 2026, both at night.
@Suite struct TimeStepTests {
    init() {
        setenv("TZ", "Europe/Berlin", 1)
        tzset()
    }

    private func boundaries(_ step: String, _ from: String, _ until: String) throws -> [String] {
        let range = try #require(Timestamp(from))...(try #require(Timestamp(until)))
        return try TimeStep.parse(step).boundaries(range).map { LocalTime.text($0) }.map { String($0.prefix(16)) }
    }

    /// How many hours each bucket has.
    private func hours(_ step: String, _ from: String, _ until: String) throws -> [Double] {
        let range = try #require(Timestamp(from))...(try #require(Timestamp(until)))
        let boundaries = try TimeStep.parse(step).boundaries(range)
        return zip(boundaries, boundaries.dropFirst()).map { Double($1.milliseconds - $0.milliseconds) / 3_600_000 }
    }

    @Test("days are those of the clocks here, with an hour more or less where these change")
    func days() throws {
        #expect(try hours("1d", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z") == [24, 25, 24])
        #expect(try hours("d", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z") == [24, 23, 24])
        #expect(try hours("6h", "2026-10-24T22:00:00Z", "2026-10-25T22:00:00Z") == [7, 6, 6, 6])
        #expect(try hours("6h", "2026-03-28T23:00:00Z", "2026-03-29T21:00:00Z") == [5, 6, 6, 6])
        #expect(try hours("1h", "2026-10-24T22:00:00Z", "2026-10-25T22:59:00Z") == Array(repeating: 1, count: 25))
        #expect(try hours("5h", "2026-06-01T22:00:00Z", "2026-06-02T21:00:00Z") == [5, 5, 5, 5, 4])
    }

    @Test(
        "buckets begin where people begin to count, and the last one holds the end",
        arguments: [
            (
                "15m", "2026-06-15T12:31:00Z", "2026-06-15T13:00:00Z",
                ["2026-06-15 14:30", "2026-06-15 14:45", "2026-06-15 15:00", "2026-06-15 15:15"]
            ),
            (
                "1w", "2026-06-17T12:00:00Z", "2026-06-22T12:00:00Z",
                ["2026-06-15 00:00", "2026-06-22 00:00", "2026-06-29 00:00"]
            ),
            ("1w", "2026-06-14T12:00:00Z", "2026-06-14T12:00:00Z", ["2026-06-08 00:00", "2026-06-15 00:00"]),
            (
                "1mo", "2026-11-30T12:00:00Z", "2027-01-01T12:00:00Z",
                ["2026-11-01 00:00", "2026-12-01 00:00", "2027-01-01 00:00", "2027-02-01 00:00"]
            ),
            ("3mo", "2026-11-30T12:00:00Z", "2026-12-01T12:00:00Z", ["2026-11-01 00:00", "2027-02-01 00:00"]),
            ("1y", "2026-11-30T12:00:00Z", "2026-12-01T12:00:00Z", ["2026-01-01 00:00", "2027-01-01 00:00"]),
        ])
    func places(_ step: String, _ from: String, _ until: String, _ expected: [String]) throws {
        #expect(try boundaries(step, from, until) == expected)
    }

    @Test(
        "what is no span, and what makes too many buckets, is refused with what to do",
        arguments: ["", "0h", "1x", "-1h", "1.5h", "h1", "99999d"])
    func refusals(_ text: String) {
        #expect(throws: ToolError.self) { try TimeStep.parse(text) }
        #expect {
            try TimeStep.parse("1m").boundaries(Timestamp.earliest...Timestamp.latest)
        } throws: {
            ($0 as? ToolError)?.hint?.contains("--every") == true
        }
    }

    @Test("what lies before the time that is asked about makes no buckets, however late in the day it is")
    func lateInTheDay() throws {
        #expect(
            try boundaries("1m", "2026-11-21T22:58:30Z", "2026-11-21T22:59:30Z") == [
                "2026-11-21 23:58", "2026-11-21 23:59", "2026-11-22 00:00",
            ])
    }

    @Test("at the ends of time there is an end")
    func ends() throws {
        let range = Timestamp.latest.adding(milliseconds: -1)...Timestamp.latest
        for step in ["1h", "1d", "1w", "1mo", "1y"] {
            let boundaries = try TimeStep.parse(step).boundaries(range)
            #expect(zip(boundaries, boundaries.dropFirst()).allSatisfy { $0 < $1 } && boundaries.count >= 2)
        }
    }
}
