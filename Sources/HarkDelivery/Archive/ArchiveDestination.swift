internal import Glibc
package import HarkCore
package import HarkStore
internal import HarkSystem
package import HarkWire

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

    private var isClosed = false
    /// Called when something is found to be gone that had been written.
    package var onTouched: () -> Void = {}

    /// - Parameter store: where what the tree has lost is read from.
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

    /// Has the tree say from now on whose log it is written from, and what it has of others.
    package func mark(_ mark: ArchiveMark) async {
        _ = await work { tree throws(SystemError) in
            var mark = mark
            mark.newest = max(mark.newest, tree.mark?.newest ?? 0)
            tree.mark = mark
            if access(tree.root, F_OK) == 0 { try mark.write(to: tree.root, place: tree.place) }
        }
    }

    /// Writes again what the tree has lost of what was delivered.
    /// - Parameter cursor: up to which it was.
    /// - Returns: of how many sessions.
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

    /// Writes the events of sessions anew, as the store has them by now, where the tree has any of them.
    /// - Returns: false where one could not be.
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

    /// Counts what the tree has and the store has not; nil where that could not be read.
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

    /// Looks for what the tree has and the store has lost, piece by piece.
    /// - Parameter body: puts what was found back; the next piece is looked for once it has.
    /// - Returns: what cannot go back; nil where the tree could not be read to its end.
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

    /// The highest number in the tree.
    package func newest() async -> UInt64? {
        await work { tree throws(SystemError) in ArchiveTree.newest(in: tree.root) }
    }

    /// Removes sessions that only the tree knows.
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

    /// - Returns: nil where it could not be done, or nothing is done any more.
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
