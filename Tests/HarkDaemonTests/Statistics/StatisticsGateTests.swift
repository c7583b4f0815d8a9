import HarkSystem
import HarkTesting
import Testing

@testable import HarkDaemon

/// Who may count next.
@Suite(.timeLimit(.minutes(5))) struct StatisticsGateTests {
    @Test("users take turns: who asks once does not wait for the hundreds that others asked for before")
    func turns() async throws {
        try await LoopThread.shared.run { _ in
            let gate = StatisticsGate()
            var (through, served): ([UInt32], Int) = ([], 0)
            let uids: [UInt32] = Array(repeating: [1, 2, 3, 4, 5], count: 20).flatMap(\.self) + [6]
            for (client, uid) in uids.enumerated() {
                let owner = TurnOwner(uid: uid, client: UInt64(client))
                DaemonActor.task {
                    await gate.enter(owner)
                    through.append(uid)
                    // All have asked before the first is through.
                    while served < 1 { await Task.yield() }
                    gate.leave(owner)
                }
            }
            try await eventually("four count") { through.count == 4 }
            served = 1
            try await eventually("all have counted") { through.count == uids.count }
            #expect(through.firstIndex(of: 6) ?? .max < 12, "\(through)")
        }
    }
}
