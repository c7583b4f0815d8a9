import CSQLite
import HarkTesting
import Synchronization

@testable import HarkDaemon
@testable import HarkStore

/// Has SQLite refuse one commit of a store, the n-th from now on.
final class NthCommit: Sendable {
    private let state: Mutex<(left: Int, isRefused: Bool)>
    /// What the commit waits for before it is refused.
    private let hold: Hold?

    /// Whether there were so many commits at all.
    var isRefused: Bool { state.withLock(\.isRefused) }

    init(_ number: Int, after hold: Hold? = nil) {
        state = Mutex((number, false))
        self.hold = hold
    }

    private func refuses() -> Bool {
        let isMeant = state.withLock { state in
            state.left -= 1
            if state.left == 0 { state.isRefused = true }
            return state.left == 0
        }
        if isMeant { hold?.wait() }
        return isMeant
    }

    /// To be called while nothing is being committed; it has to outlive the store.
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
