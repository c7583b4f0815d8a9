import HarkSystem

/// Lets few at a time count: what they count lies in memory until they are through. One of each user, four of all; the users
/// who wait take turns.
@DaemonActor
final class StatisticsGate {
    private static let most = 4

    private var counting: Set<UInt32> = []
    private var waiting: [(owner: TurnOwner, go: CheckedContinuation<Void, Never>)] = []
    /// Which user had a turn when, as long as somebody waits: whoever had none for longest comes next, however much others ask.
    private var turnOf: [UInt32: UInt64] = [:]
    private var turns: UInt64 = 0

    /// Waits for a place. A client that is gone gets one like any other, and finds that nobody waits for what it counts.
    func enter(_ owner: TurnOwner) async {
        if counting.count < StatisticsGate.most, counting.insert(owner.uid).inserted { return note(owner) }
        await withCheckedContinuation { waiting.append((owner, $0)) }
    }

    func leave(_ owner: TurnOwner) {
        counting.remove(owner.uid)
        let free = waiting.indices.filter { !counting.contains(waiting[$0].owner.uid) }
        guard let next = free.min(by: { turn(of: waiting[$0].owner) < turn(of: waiting[$1].owner) }) else { return }
        let (owner, go) = waiting.remove(at: next)
        counting.insert(owner.uid)
        note(owner)
        if waiting.isEmpty { turnOf = [:] }
        go.resume()
    }

    private func turn(of owner: TurnOwner) -> UInt64 { turnOf[owner.uid] ?? 0 }

    private func note(_ owner: TurnOwner) {
        turns += 1
        turnOf[owner.uid] = turns
    }
}
