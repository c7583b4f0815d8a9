import CSQLite
import Synchronization

@testable import HarkDaemon
@testable import HarkStore

/// Makes SQLite refuse one commit of a store, the n-th from now on, or that one and all later ones until it is told to end.
final class NthCommit: Sendable {
    private let state: Mutex<(left: Int, isRefused: Bool, isOver: Bool)>

    /// Whether there were that many commits.
    var isRefused: Bool { state.withLock(\.isRefused) }

    /// - Parameter lasts: whether those after it are refused as well, until `end()`.
    init(_ number: Int, lasts: Bool = false) { state = Mutex((number, false, !lasts)) }

    func end() { state.withLock { $0.isOver = true } }

    private func refuses() -> Bool {
        state.withLock { state in
            state.left -= 1
            if state.left == 0 { state.isRefused = true }
            return state.left == 0 || state.left < 0 && !state.isOver
        }
    }

    /// Call it while nothing is being committed. It has to outlive the store.
    func install(in store: Store) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_commit_hook(
            store.writer.value.database.handle,
            { context in
                guard let context else { return 0 }
                return Unmanaged<NthCommit>.fromOpaque(context).takeUnretainedValue().refuses() ? 1 : 0
            }, context)
    }
}
