import HarkSystem

/// Lets few at a time count: what they count lies in memory until they are through. One of each user, four of all; the users
/// who wait take turns. A user who had no turn yet while others do comes in beside the four, so that it waits for none of theirs.
@DaemonActor
final class StatisticsGate {
    private static let most = 4
    private static let mostWithNewcomers = 8

    private var counting: Set<UInt32> = []
    private var waiting: [(owner: TurnOwner, go: CheckedContinuation<Void, Never>)] = []
    /// Which user had a turn when, as long as somebody waits: the one who had none for longest comes next, however much others ask.
    private var turnOf: [UInt32: UInt64] = [:]
    private var turns: UInt64 = 0

    /// Waits for a place. A client that is gone gets one like any other, and finds that nobody waits for what it counts.
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
