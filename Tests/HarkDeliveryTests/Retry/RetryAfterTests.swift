import HarkWire
import Testing

@testable import HarkDelivery

/// The header Retry-After (row L6).
@Suite struct RetryAfterTests {
    /// 1994-11-06T08:49:37Z, the moment RFC 9110 writes in its three forms.
    private static let moment: Int64 = 784_111_777_000

    @Test(
        "L6: seconds are seconds",
        arguments: [
            ("0", 0), ("1", 1), ("120", 120), ("007", 7), (" 30", 30), ("30\t ", 30), ("86401", 86_401),
            ("4294967296", 4_294_967_296), ("18446744073709551616", 18_446_744_073_709_551_616),
        ] as [(String, Double)])
    func seconds(_ text: String, _ seconds: Double) {
        #expect(RetryAfter.seconds(text, now: Timestamp(milliseconds: Self.moment)) == seconds)
    }

    @Test(
        "L6: a date in any of the three forms of HTTP is how long it is until then",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            " Sun, 06 Nov 1994 08:49:37 GMT ",
        ])
    func dates(_ text: String) {
        for (now, seconds) in [(-90_000, 90.0), (-500, 0.5), (0, 0), (1, 0), (1_000_000_000, 0)] {
            let now = Timestamp(milliseconds: Self.moment + Int64(now))
            #expect(RetryAfter.seconds(text, now: now) == seconds)
        }
    }

    @Test("L6: a date of this century, and a leap day")
    func calendar() {
        let now = Timestamp("2096-02-29T23:59:00Z")!
        #expect(RetryAfter.seconds("Thu, 01 Mar 2096 00:00:00 GMT", now: now) == 60)
        #expect(RetryAfter.seconds("Wed Feb 29 23:59:59 2096", now: now) == 59)
        let before = Timestamp("2026-11-21T00:00:00Z")!
        #expect(RetryAfter.seconds("Saturday, 21-Nov-26 00:01:00 GMT", now: before) == 60)
    }

    @Test(
        "L6: anything else is no wait that was asked for",
        arguments: [
            "", " ", "soon", "-1", "+5", "1.5", "1e3", "0x10", "5 s", "5;6", "٣", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 GMT+1", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 42 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994 GMT",
        ])
    func garbage(_ text: String) {
        #expect(RetryAfter.seconds(text, now: Timestamp(milliseconds: Self.moment)) == nil)
    }
}
