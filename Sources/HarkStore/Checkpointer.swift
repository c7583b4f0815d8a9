import HarkSystem
import Synchronization

/// Keeps the write-ahead log short without delaying the writer.
///
/// The log can only restart when all of it has been copied into the file, and under load there is always one more
/// commit. So a separate thread copies the bulk, and the writer copies the few pages added meanwhile between two
/// commits, after it has reported.
final class Checkpointer: Sendable {
    /// The growth of the log that starts a copy, in pages of 4 KiB.
    private static let pages = 1_000

    private enum Phase {
        case resting, copying, copied
    }

    private struct State {
        var phase = Phase.resting
        /// The length of the log when it was last copied.
        var copiedPages = 0
        /// The number of callers that need the log to themselves.
        var holds = 0
    }

    private let thread = WorkerThread(name: "hark-checkpoint", niceness: 10)
    private let state = Mutex(State())
    private let connection: Confined<Database>

    init(path: String) throws(StoreError) {
        let database = try Database(path: path, access: .write)
        // Until its first read of the file a connection does not know the log, and would copy nothing.
        _ = try database.integer("SELECT count(*) FROM sqlite_schema")
        connection = Confined(database)
    }

    /// Whether the writer must copy pages after its next commit, which takes time.
    var needsWriter: Bool { state.withLock { $0.phase == .copied } }

    /// Whether the thread is copying. A copy begins only in `follow` and `Store.scrub`.
    var isCopying: Bool { state.withLock { $0.phase == .copying } }

    /// Called by the writer after each commit.
    /// - Returns: whether the log is being copied, or was copied by this call.
    @discardableResult
    func follow(_ writer: Database) -> Bool {
        let pages = writer.logPages
        let next = state.withLock { state in
            // A shorter log has been restarted.
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

    /// Prevents new copies until `letGo`.
    func hold() { state.withLock { $0.holds += 1 } }

    func letGo() { state.withLock { $0.holds -= 1 } }

    /// Waits for the current copy.
    func rested() async { await thread.run {} }

    private func checkpoint(_ database: Database) {
        do throws(StoreError) {
            _ = try database.checkpoint(.passive)
        } catch {
            // Nothing is lost: the log still holds everything, and a thousand more pages trigger the next attempt.
            Log.warning("the write-ahead log could not be copied: \(error.message)")
        }
    }

    func close() {
        thread.close()
        connection.discard()
    }
}
