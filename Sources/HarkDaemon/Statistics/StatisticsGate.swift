import HarkSystem

/// Lets few at a time count: what they count lies in memory until they are through. One of each user, four of all; the users
/// who wait take turns.
@DaemonActor
final class StatisticsGate {
    private static let most = 4

    private var counting: Set<UInt32> = []
    private var waiting: [(owner: TurnOwner, go: CheckedContinuation<Void, Never>)] = []

    /// Waits for a place. A client that is gone gets one like any other, and finds that nobody waits for what it counts.
    func enter(_ owner: TurnOwner) async {
        if counting.count < StatisticsGate.most, counting.insert(owner.uid).inserted { return }
        await withCheckedContinuation { waiting.append((owner, $0)) }
    }

    func leave(_ owner: TurnOwner) {
        counting.remove(owner.uid)
        guard let next = waiting.firstIndex(where: { !counting.contains($0.owner.uid) }) else { return }
        let (owner, go) = waiting.remove(at: next)
        counting.insert(owner.uid)
        go.resume()
    }
}
