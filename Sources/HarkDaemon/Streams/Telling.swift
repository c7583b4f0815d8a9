import HarkSystem

/// Tells clients what they have subscribed to, in order, a slice of the loop at a time: there may be thousands, and what
/// they are told long.
@DaemonActor
final class Telling {
    private static let slice: UInt64 = 2_000

    private var waiting: ArraySlice<@DaemonActor () -> Void> = []
    private var slice = LoopSlice(microseconds: 0)
    private var isPosted = false

    /// Tells at once, unless others are to be told first or this turn has had its time.
    func add(_ tell: @escaping @DaemonActor () -> Void) {
        guard waiting.isEmpty else { return waiting.append(tell) }
        if !isPosted {
            // The first of its turn.
            slice = LoopSlice(microseconds: Telling.slice)
            post()
        }
        if slice.isOver { waiting.append(tell) } else { tell() }
    }

    private func post() {
        isPosted = true
        DaemonActor.post { [self] in
            isPosted = false
            guard !waiting.isEmpty else { return }
            slice = LoopSlice(microseconds: Telling.slice)
            while !slice.isOver, let tell = waiting.popFirst() { tell() }
            post()
        }
    }
}
