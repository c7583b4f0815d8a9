import HarkLedger
import HarkSystem

/// Limits concurrent statistics, because counts are kept in memory: one per user, four in all; waiting users take
/// turns. A user without a turn yet enters beside the four while others wait, and so waits for none of theirs.
@DaemonActor
final class StatisticsGate: Desk {
    private static let most = 4
    private static let mostWithNewcomers = 8

    private var counting: Set<UInt32> = []
    private var waiting: [(owner: TurnOwner, go: CheckedContinuation<Void, Never>)] = []
    /// The last turn of each user while somebody waits: the least recent user is next, whatever others ask.
    private var turnOf: [UInt32: UInt64] = [:]
    private var turns: UInt64 = 0

    /// Waits for a place. A client that is gone gets one too, and then finds that nobody waits for its result.
    func enter(_ owner: TurnOwner) async {
        if hasPlace(for: owner) { return take(owner) }
        await withCheckedContinuation { waiting.append((owner, $0)) }
    }

    func leave(_ owner: TurnOwner) {
        counting.remove(owner.uid)
        let free = waiting.indices.filter { hasPlace(for: waiting[$0].owner) }
        if let next = free.min(by: { turn(of: waiting[$0].owner) < turn(of: waiting[$1].owner) }) {
            let (owner, go) = waiting.remove(at: next)
            take(owner)
            go.resume()
        }
        if waiting.isEmpty { turnOf = [:] }
    }

    private func hasPlace(for owner: TurnOwner) -> Bool {
        guard !counting.contains(owner.uid) else { return false }
        let most = turnOf[owner.uid] == nil ? StatisticsGate.mostWithNewcomers : StatisticsGate.most
        return counting.count < most
    }

    private func turn(of owner: TurnOwner) -> UInt64 { turnOf[owner.uid] ?? 0 }

    private func take(_ owner: TurnOwner) {
        counting.insert(owner.uid)
        turns += 1
        turnOf[owner.uid] = turns
    }
}
