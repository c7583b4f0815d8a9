package import HarkCore
internal import HarkSystem

/// Keeps the archive tree: plain files anyone can read, search and copy.
package final class ArchiveDestination: Destination {
    package nonisolated let name = "archive"
    package nonisolated let kind = "archive"
    package nonisolated let forgetsWhatItHas = true
    package nonisolated let batch = BatchLimits(entries: 4096, gatherMilliseconds: 200)
    /// All of it, and no other kind of record.
    package nonisolated static let lane = Lane(
        "", DeliveryFilter(kinds: [.sessionStarted, .sessionEnded], events: .all))

    private let thread = WorkerThread(name: "hark-archive", niceness: 19)
    private let box: Box

    // The tree is only touched by jobs of `thread`.
    private final class Box: @unchecked Sendable {
        let tree: ArchiveTree
        init(_ tree: ArchiveTree) { self.tree = tree }
    }

    package nonisolated init(folder: String) {
        box = Box(ArchiveTree(root: folder))
    }

    package func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome {
        await thread.run { [box] in
            do throws(SystemError) {
                try box.tree.append(records)
                return .accepted
            } catch {
                return .failed(DeliveryFailure(.local, retryAfter: 5, error.description))
            }
        }
    }

    package func forget(_ session: SessionIdentity) async -> String? {
        await thread.run { [box] in
            do throws(SystemError) {
                try box.tree.remove(session)
                return nil
            } catch {
                return error.description
            }
        }
    }

    package func close() {
        thread.close()
    }
}
