import HarkSystem
import HarkTesting
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// Notifications to thousands of clients, in slices of the loop's time.
@Suite(.timeLimit(.minutes(45))) struct TellingTests {
    @Test("each is told once and in order, whatever is added meanwhile, and others have the loop in between")
    func order() async throws {
        try await DaemonFixture.run { fixture in
            let telling = Telling()
            var told: [String] = []
            var toldWhenOthersRan: Int?
            // So long that no slice is enough for them.
            func take() {
                let start = SystemClock.monotonicMicroseconds
                while SystemClock.monotonicMicroseconds < start + 20 {}
            }
            telling.add(0) { _ in told.append("nobody") }
            telling.add(200) { place in
                take()
                told.append("a\(place)")
                if place == 0 { telling.add(2) { told.append("c\($0)") } }
            }
            DaemonActor.post { toldWhenOthersRan = told.count }
            #expect(told.count < 200)
            telling.add(100) { place in
                take()
                told.append("b\(place)")
            }
            try await eventually("all are told") { told.count == 302 }
            #expect(
                told == (0..<200).map { "a\($0)" } + (0..<2).map { "c\($0)" } + (0..<100).map { "b\($0)" })
            #expect(try #require(toldWhenOthersRan) < 302)
            telling.add(1) { _ in told.append("late") }
            try await eventually("the last is told") { told.last == "late" }
        }
    }
}
