package import HarkSystem

/// Notifies clients in order, a slice of the loop's time after the other: there may be thousands of subscribers, and
/// long notifications.
@DaemonActor
package final class Telling {
    /// In microseconds. A turn also serves one sending client, so the last of fifty waits for fifty turns.
    private static let slice: UInt64 = 500

    /// A notification to several subscribers. A commit may have thousands, so nothing is stored per subscriber.
    private struct Round {
        let count: Int
        let tell: @DaemonActor (Int) -> Void
        var next = 0
    }

    private var current: Round?
    private var waiting = Queue<Round>()
    private var slice = LoopSlice(microseconds: 0)
    private var isPosted = false

    package init() {}

    /// Notifies as many as this turn has time for, unless earlier rounds are unfinished.
    ///
    /// - Parameter tell: Notifies the subscriber with this index, from 0 to `count`.
    package func add(_ count: Int, _ tell: @escaping @DaemonActor (Int) -> Void) {
        guard count > 0 else { return }
        let round = Round(count: count, tell: tell)
        guard current == nil else { return waiting.append(round) }
        current = round
        if !isPosted {
            // The first of its turn.
            slice = LoopSlice(microseconds: Telling.slice)
            post()
        }
        goOn()
    }

    private func goOn() {
        while let round = current {
            // A call may close a connection, which may add more rounds.
            for place in round.next..<round.count {
                guard !slice.isOver else { return }
                current?.next = place + 1
                round.tell(place)
            }
            current = waiting.popFirst()
        }
    }

    private func post() {
        isPosted = true
        DaemonActor.post { [self] in
            isPosted = false
            guard current != nil else { return }
            slice = LoopSlice(microseconds: Telling.slice)
            goOn()
            post()
        }
    }
}
