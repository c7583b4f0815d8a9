internal import Glibc
internal import HarkCore
internal import HarkSystem
internal import HarkWire

/// The folders and files of the archive: `users/<user>/sessions/<id>/session.json` and `events.jsonl`.
///
/// Writing the same records twice changes nothing: each file's last line tells what it already has, and what a crash or a
/// loss of power has damaged is cut off before the next line is written. What was appended or removed is on disk, names
/// and all, when a call returns: the cursor and the reply to a clear rest on it. Belongs to one thread.
final class ArchiveTree {
    private let root: String
    /// Named in errors instead of full paths, which would tell user ids.
    private let place: String
    /// The last sequence number in the events file of each session lately written to.
    private var written: [Int64: UInt64] = [:]
    private static let remembered = 1024
    /// Folders whose names are on disk, as far as this run has seen to it.
    private var madeFolders: Set<String> = []
    /// Folders whose names will be once all is synced.
    private var newFolders: Set<String> = []

    init(root: String) {
        self.root = root
        place = "in the archive tree \(root)"
    }

    /// Appends records and makes them durable; on an error some may be there already, and writing them again is right.
    func append(_ records: ArraySlice<Record>) throws(SystemError) {
        try records.inPlace { records throws(SystemError) in try append(records) }
    }

    private func append(_ records: RecordsInPlace) throws(SystemError) {
        let parts = ArchiveTree.parts(of: records)
        if written.count > ArchiveTree.remembered { written.removeAll() }
        if parts.count > ArchiveTree.syncedByThemselves { return try appendTogether(parts, of: records) }
        for part in parts {
            do throws(SystemError) {
                try append(part, of: records, isSynced: true)
            } catch {
                written[part.session.row] = nil
                throw error
            }
        }
    }

    /// A new session takes seven syncs, and an old one two, for each of which the disk is waited for. Beyond so many sessions
    /// there is one of the whole file system instead: it also waits for what others have written there, but only this thread.
    private static let syncedByThemselves = 8

    private func appendTogether(_ parts: [Part], of records: RecordsInPlace) throws(SystemError) {
        do throws(SystemError) {
            for part in parts { try append(part, of: records, isSynced: false) }
            try DurableFile.syncAll(around: root, place: place)
        } catch {
            // Nothing is known to be on disk.
            for part in parts { written[part.session.row] = nil }
            newFolders = []
            throw error
        }
        if newFolders.count < 2 * ArchiveTree.remembered { remember(newFolders) }
        newFolders = []
    }

    /// The records of one session.
    private struct Part {
        let session: SessionIdentity
        /// The number of the first of them.
        let first: UInt64
        /// Whether that is the session's own start.
        let isNew: Bool
        /// Where they lie, one stretch after the other.
        var places: [Range<Int>] = []
        var events = 0
        var endedAt: Timestamp?
    }

    private static func parts(of records: RecordsInPlace) -> [Part] {
        var parts: [Part] = []
        var placeOf: [Int64: Int] = [:]
        var place = 0
        while place < records.count {
            let row = records.sessionRow(place)
            let current: Int
            if let known = placeOf[row] {
                current = known
            } else {
                current = parts.count
                placeOf[row] = current
                parts.append(
                    Part(
                        session: records.session(place), first: records.sequence(place),
                        isNew: records.kind(place) == .sessionStarted))
            }
            // Most records follow one of the same session.
            let start = place
            var events = 0
            while place < records.count, records.sessionRow(place) == row {
                switch records.kind(place) {
                case .event: events += 1
                case .sessionEnded: parts[current].endedAt = records.at(place)
                default: break
                }
                place += 1
            }
            parts[current].events += events
            parts[current].places.append(start..<place)
        }
        return parts
    }

    func remove(_ session: SessionIdentity) throws(SystemError) {
        written[session.row] = nil
        let folder = folder(of: session)
        for file in ["/events.jsonl", "/session.json", "/session.json.new"] {
            try tolerate([ENOENT, ENOTDIR]) { () throws(SystemError) in
                _ = try syscall("unlink", detail: place) { unlink(folder + file) }
            }
        }
        // The user's folders go with the last session.
        let user = userFolder(of: session)
        for empty in [folder, user + "/sessions", user] {
            madeFolders.remove(empty)
            try tolerate([ENOENT, ENOTEMPTY, EEXIST]) { () throws(SystemError) in
                _ = try syscall("rmdir", detail: place) { rmdir(empty) }
            }
        }
        // Else all of it could be back after a loss of power. Also when there was nothing left to remove: whoever did it may
        // have been killed before this.
        for left in [folder, user + "/sessions", user, root + "/users"] {
            do throws(SystemError) {
                return try DurableFile.syncFolder(left, place: place)
            } catch  where error.code == ENOENT || error.code == ENOTDIR {}
        }
    }

    private func tolerate(_ codes: [Int32], _ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) { try body() } catch  where codes.contains(error.code) {}
    }

    private func userFolder(of session: SessionIdentity) -> String {
        "\(root)/users/\(UserFolder.name(for: session.userId))"
    }

    private func folder(of session: SessionIdentity) -> String {
        "\(userFolder(of: session))/sessions/\(session.id)"
    }

    /// Lines are written in pieces of about so many bytes.
    private static let piece = 256 << 10
    private static let linesAtOnce = 64

    /// - Parameter isSynced: false: the caller syncs everything afterwards.
    private func append(_ part: Part, of records: RecordsInPlace, isSynced: Bool) throws(SystemError) {
        let session = part.session
        let folder = folder(of: session)
        try makeFolders(folder, isSynced: isSynced)
        if part.endedAt != nil || part.isNew || access(folder + "/session.json", F_OK) != 0 {
            // Without its start among what comes again, it would not be written again.
            try writeDescription(
                Session(session, endedAt: part.endedAt), in: folder, isSynced: isSynced || !part.isNew)
        }
        guard part.events > 0 else { return }
        let path = folder + "/events.jsonl"
        let known = written[session.row]
        // A name that was there already need not be on disk: it may have been made right before a kill.
        let isNameSafe = isSynced && known != nil && access(path, F_OK) == 0
        let file = try AppendFile(path: path, place: place)
        // Nothing of this session was accounted for from the first of these records on.
        let last: UInt64
        if let known { last = known } else { last = try file.repairTail(from: part.first) }
        // Memory that is still at hand when it is used again takes less time than room for all of it.
        var json = JSONWriter(reservingCapacity: min(part.events * 512, ArchiveTree.piece + ArchiveTree.piece / 4))
        var newest = last
        for places in part.places {
            for start in stride(from: places.lowerBound, to: places.upperBound, by: ArchiveTree.linesAtOnce) {
                let some = start..<min(start + ArchiveTree.linesAtOnce, places.upperBound)
                newest = max(newest, records.writeLines(some, behind: last, of: session, to: &json))
                guard json.bytes.count >= ArchiveTree.piece else { continue }
                try file.append(json.bytes, isSynced: false)
                json.bytes.removeAll(keepingCapacity: true)
            }
        }
        if newest > last { try file.append(json.bytes, isSynced: isSynced) }
        // The file's content is on disk; its name has to be as well before the cursor moves on.
        if isSynced, !isNameSafe { try DurableFile.syncFolder(folder, place: place) }
        written[session.row] = newest
    }

    private func writeDescription(_ session: Session, in folder: String, isSynced: Bool) throws(SystemError) {
        var json = JSONWriter()
        session.write(to: &json)
        json.newline()
        try DurableFile.replace(folder + "/session.json", with: json.bytes, isSynced: isSynced, place: place)
    }

    private func makeFolders(_ path: String, isSynced: Bool) throws(SystemError) {
        if newFolders.contains(path) || madeFolders.contains(path) && access(path, F_OK) == 0 { return }
        let parent = DurableFile.parent(of: path)
        if path == root {
            try DurableFile.makeFolder(path, mode: 0o700, parentMode: 0o700, place: place)
            return remember([path])
        }
        try makeFolders(parent, isSynced: isSynced)
        try tolerate([EEXIST]) { () throws(SystemError) in
            _ = try syscall("mkdir", detail: place) { mkdir(path, 0o700) }
        }
        if isSynced {
            try DurableFile.syncFolder(parent, place: place)
            remember([path])
        } else {
            newFolders.insert(path)
        }
    }

    /// Their names are on disk.
    private func remember(_ folders: Set<String>) {
        if madeFolders.count > 4 * ArchiveTree.remembered { madeFolders.removeAll() }
        madeFolders.formUnion(folders)
    }
}
