import HarkSystem

/// Tells clients what they have subscribed to, in order, a slice of the loop at a time: there may be thousands, and what
/// they are told long.
@DaemonActor
final class Telling {
    /// In microseconds. A turn in which something is told deals with one client that sends, so the last of fifty waits for fifty such.
    private static let slice: UInt64 = 500

    /// What is told to several, one after the other. A commit may hold thousands of such, so nothing is kept for each of the several.
    private struct Round {
        let count: Int
        let tell: @DaemonActor (Int) -> Void
        var next = 0
    }

    private var current: Round?
    private var waiting = Queue<Round>()
    private var slice = LoopSlice(microseconds: 0)
    private var isPosted = false

    /// Tells as many at once as this turn has time for, unless others are to be told first.
    ///
    /// - Parameter tell: tells the one of this place, from 0 to `count`.
    func add(_ count: Int, _ tell: @escaping @DaemonActor (Int) -> Void) {
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
            // Telling may close a connection, and what follows from that may add more.
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
