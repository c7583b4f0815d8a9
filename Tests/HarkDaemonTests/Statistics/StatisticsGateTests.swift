import HarkSystem
import HarkTesting
import Testing

@testable import HarkDaemon

/// Who may count next.
@Suite(.timeLimit(.minutes(5))) struct StatisticsGateTests {
    /// Who has counted so far, and whether the first four may end.
    @DaemonActor private final class Course {
        var through: [UInt32] = []
        var isServed = false
    }

    @Test("users take turns: who asks once does not wait for the hundreds that others asked for before")
    func turns() async throws {
        try await LoopThread.shared.run { _ in
            let gate = StatisticsGate()
            let course = Course()
            let uids: [UInt32] = Array(repeating: [1, 2, 3, 4, 5], count: 20).flatMap(\.self) + [6]
            for (client, uid) in uids.enumerated() {
                let owner = TurnOwner(uid: uid, client: UInt64(client))
                DaemonActor.task {
                    await gate.enter(owner)
                    course.through.append(uid)
                    // All have asked before the first is through.
                    while !course.isServed { await Task.yield() }
                    gate.leave(owner)
                }
            }
            try await eventually("four count") { course.through.count == 4 }
            course.isServed = true
            try await eventually("all have counted") { course.through.count == uids.count }
            #expect(course.through.firstIndex(of: 6) ?? .max < 12, "\(course.through)")
        }
    }
}
