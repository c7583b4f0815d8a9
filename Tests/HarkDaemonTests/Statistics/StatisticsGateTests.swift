import HarkSystem
import HarkTesting
import Testing

@testable import HarkDaemon

/// The next query that may count.
@Suite(.timeLimit(.minutes(45))) struct StatisticsGateTests {
    /// Who has counted so far, how many do, and whether the first may end.
    @DaemonActor private final class Course {
        var through: [UInt32] = []
        var counting = 0
        /// How many counted when another one began.
        var together: [Int] = []
        var isServed = false

        func count(_ uids: [UInt32], _ gate: StatisticsGate) {
            for (client, uid) in uids.enumerated() {
                let owner = TurnOwner(uid: uid, client: UInt64(client))
                DaemonActor.task { [self] in
                    await gate.enter(owner)
                    through.append(uid)
                    counting += 1
                    together.append(counting)
                    // All have asked before the first is through.
                    while !isServed { await Task.yield() }
                    counting -= 1
                    gate.leave(owner)
                }
            }
        }
    }

    @Test("who asks once waits for none of the hundreds that others asked for before")
    func newcomer() async throws {
        try await LoopThread.shared.run { _ in
            let gate = StatisticsGate()
            let course = Course()
            let uids: [UInt32] = Array(repeating: [1, 2, 3, 4, 5], count: 20).flatMap(\.self) + [6]
            course.count(uids, gate)
            try await eventually("all users count") { course.through.count == 6 }
            #expect(course.through == [1, 2, 3, 4, 5, 6])
            course.isServed = true
            try await eventually("all have counted") { course.through.count == uids.count && course.counting == 0 }
            // Users that had a turn are four at a time, and take turns.
            #expect(course.together.dropFirst(6).allSatisfy { $0 <= 4 }, "\(course.together)")
            for start in stride(from: 6, to: 86, by: 5) {
                #expect(Set(course.through[start..<start + 5]).count == 5, "\(course.through)")
            }
        }
    }

    @Test("however many users come, eight count at a time")
    func most() async throws {
        try await LoopThread.shared.run { _ in
            let gate = StatisticsGate()
            let course = Course()
            course.count(Array(1...40), gate)
            try await eventually("eight count") { course.through.count == 8 }
            course.isServed = true
            try await eventually("all have counted") { course.through.count == 40 && course.counting == 0 }
            #expect(course.together.max() == 8)
        }
    }
}
