/// Lets one task at a time through, in the order in which they came.
@DaemonActor
package final class Turnstile {
    package private(set) var isTaken = false
    private var waiting = Queue<CheckedContinuation<Void, Never>>()

    package init() {}

    /// Returns once no other task is through; call `leave` afterwards.
    package func enter() async {
        if take() { return }
        // The body may run a turn later, when the turnstile may be free.
        await withCheckedContinuation { if take() { $0.resume() } else { waiting.append($0) } }
    }

    package func leave() {
        if let next = waiting.popFirst() { next.resume() } else { isTaken = false }
    }

    private func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }
}
