import HarkSystem
import Synchronization

/// Keeps the write-ahead log short without making the writer wait.
///
/// The log can only be begun anew when all of it has been copied into the file, and under load there is always one more
/// commit behind. So the bulk is copied on a thread of its own, and the writer copies the few pages that came meanwhile
/// between two commits, after it has reported.
final class Checkpointer: Sendable {
    /// Copying begins when the log has grown by so many pages of 4 KiB.
    private static let pages = 1_000

    private enum Phase {
        case resting, copying, copied
    }

    private struct State {
        var phase = Phase.resting
        /// The length of the log when it was last copied.
        var copiedPages = 0
        /// Who wants the log for themselves.
        var holds = 0
    }

    private let thread = WorkerThread(name: "hark-checkpoint", niceness: 10)
    private let state = Mutex(State())
    private let connection: Confined<Database>

    init(path: String) throws(StoreError) {
        let database = try Database(path: path, access: .write)
        // Before its first look at the file a connection does not know of the log, and would copy nothing.
        _ = try database.integer("SELECT count(*) FROM sqlite_schema")
        connection = Confined(database)
    }

    /// Whether the writer has pages to copy after its next commit, which takes its time.
    var needsWriter: Bool { state.withLock { $0.phase == .copied } }

    /// Whether its thread is copying. A copy begins in `follow` and `Store.scrub` only.
    var isCopying: Bool { state.withLock { $0.phase == .copying } }

    /// Called after each commit by whoever wrote it.
    /// - Returns: whether the log is being copied, or just was.
    @discardableResult
    func follow(_ writer: Database) -> Bool {
        let pages = writer.logPages
        let next = state.withLock { state in
            // A shorter log is a new one.
            if pages < state.copiedPages { state.copiedPages = 0 }
            let phase = state.phase
            if phase == .resting, state.holds == 0, pages >= state.copiedPages + Checkpointer.pages {
                state.phase = .copying
                state.copiedPages = pages
                return Phase.copying
            }
            if phase == .copied { state.phase = .resting }
            return phase == .copied ? .copied : .resting
        }
        switch next {
        case .copying:
            thread.perform { [self] in
                checkpoint(connection.value)
                state.withLock { $0.phase = .copied }
            }
        case .copied: checkpoint(writer)
        case .resting: break
        }
        return next != .resting
    }

    /// Begins no copy until `letGo`.
    func hold() { state.withLock { $0.holds += 1 } }

    func letGo() { state.withLock { $0.holds -= 1 } }

    /// Waits for the copy under way.
    func rested() async { await thread.run {} }

    private func checkpoint(_ database: Database) {
        do throws(StoreError) {
            _ = try database.checkpoint(.passive)
        } catch {
            // Nothing is lost: the log still holds it all, and the next thousand pages bring the next attempt.
            Log.warning("the write-ahead log could not be copied: \(error.message)")
        }
    }

    func close() {
        thread.close()
        connection.discard()
    }
}
