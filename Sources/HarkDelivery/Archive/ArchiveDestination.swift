internal import Glibc
package import HarkCore
package import HarkStore
internal import HarkSystem
package import HarkWire

/// Writes the archive tree: plain files that anyone can read, search and copy.
package final class ArchiveDestination: Destination {
    package nonisolated let name = "archive"
    package nonisolated let kind = "archive"
    package nonisolated let forgetsWhatItHas = true
    package nonisolated let batch = BatchLimits(entries: 4096, gatherMilliseconds: 200)
    /// All events and session changes, and no other kind of record.
    package nonisolated static let lane = Lane(
        "", DeliveryFilter(kinds: [.sessionStarted, .sessionEnded], events: .all))

    private let thread = WorkerThread(name: "hark-archive", niceness: 19)
    private let box: Box

    // Unchecked: the tree is used only by jobs of `thread`.
    private final class Box: @unchecked Sendable {
        let tree: ArchiveTree
        init(_ tree: ArchiveTree) { self.tree = tree }
    }

    private var isClosed = false
    /// Called when written files turn out to be missing.
    package var onTouched: () -> Void = {}

    /// - Parameter store: The source of lost records.
    package nonisolated init(folder: String, store: Store? = nil, mark: ArchiveMark? = nil) {
        box = Box(ArchiveTree(root: folder, store: store, mark: mark))
    }

    package func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome {
        let (outcome, isTouched) = await thread.run { [box] () -> (DeliveryOutcome, Bool) in
            defer { box.tree.isTouched = false }
            do throws(SystemError) {
                try box.tree.append(records)
                return (.accepted, box.tree.isTouched)
            } catch {
                return (
                    .failed(DeliveryFailure(.local, retryAfter: 5, error.description)), box.tree.isTouched
                )
            }
        }
        if isTouched { onTouched() }
        return outcome
    }

    // MARK: The tree and the store

    /// Writes the mark of the tree's log into the tree, and keeps it up to date.
    package func mark(_ mark: ArchiveMark) async {
        _ = await work { tree throws(SystemError) in
            var mark = mark
            mark.newest = max(mark.newest, tree.mark?.newest ?? 0)
            tree.mark = mark
            if access(tree.root, F_OK) == 0 { try mark.write(to: tree.root, place: tree.place) }
        }
    }

    /// Writes delivered records that the tree has lost again.
    /// - Parameter cursor: The last delivered record.
    /// - Returns: The number of affected sessions.
    package func mend(upTo cursor: UInt64) async -> Int {
        var row: Int64? = 0
        while let after = row {
            row = await work { tree throws(SystemError) in try tree.mend(afterRow: after, upTo: cursor) } ?? nil
        }
        return await work { tree throws(SystemError) in
            defer { tree.mended = 0 }
            return tree.mended
        } ?? 0
    }

    /// Rewrites the events of sessions from the store, if the tree has any of them.
    /// - Returns: False if one could not be rewritten.
    package func rewrite(_ sessions: [SessionIdentity]) async -> Bool {
        for session in sessions {
            let isDone = await work { tree throws(SystemError) in
                defer { tree.mended = 0 }
                try tree.rewriteIfThere(session)
                return true
            }
            guard isDone == true else { return false }
        }
        return true
    }

    /// Counts the data that the tree has and the store has not; nil if the tree could not be read.
    package func countStrangers() async -> ArchiveStrangers? {
        let all = await work { tree throws(SystemError) in ArchiveTree.folders(of: tree.root) }
        guard let folders = all else { return nil }
        var sum = ArchiveStrangers()
        for start in stride(from: 0, to: folders.count, by: 20) {
            let some = folders[start..<min(start + 20, folders.count)]
            guard let found = await work({ tree throws(SystemError) in try tree.countStrangers(in: some) }) else {
                return nil
            }
            sum += found
        }
        return sum
    }

    /// Finds data that the store has lost and the tree still has, piece by piece.
    ///
    /// - Parameter body: Restores a piece; the next is searched afterwards.
    /// - Returns: The number of lines that cannot be restored; nil if the tree could not be read completely.
    package func forEachFind(
        _ body: (ArchiveFinds) async throws(WireError) -> Void
    ) async throws(WireError) -> Int? {
        guard let folders = await work({ tree throws(SystemError) in ArchiveTree.folders(of: tree.root) }) else {
            return nil
        }
        var place: ArchiveFinds.Place? = ArchiveFinds.Place()
        var hopeless = 0
        while let from = place {
            guard let finds = await work({ tree throws(SystemError) in try tree.finds(in: folders, from: from) }) else {
                return nil
            }
            hopeless += finds.hopeless
            try await body(finds)
            place = finds.next
        }
        return hopeless
    }

    /// The highest sequence number in the tree.
    package func newest() async -> UInt64? {
        await work { tree throws(SystemError) in ArchiveTree.newest(in: tree.root) }
    }

    /// Removes sessions that only the tree has.
    package func clear(_ target: Selection.Target, uid: UInt32?) async -> Result<ArchiveStrangers, DeliveryFailure> {
        if isClosed { return .failure(DeliveryFailure(.local, "harkd is ending")) }
        return await thread.run { [box] in
            do throws(SystemError) {
                return .success(try box.tree.clear(target, uid: uid))
            } catch {
                return .failure(DeliveryFailure(.local, error.description))
            }
        }
    }

    /// - Returns: nil if it failed, or the destination is closed.
    private func work<Value: Sendable>(
        _ body: @escaping @Sendable (ArchiveTree) throws(SystemError) -> Value
    ) async -> Value? {
        if isClosed { return nil }
        return await thread.run { [box] in
            do throws(SystemError) {
                return try body(box.tree)
            } catch {
                Log.warning("\(error)")
                return nil
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
        isClosed = true
        thread.close()
    }
}
