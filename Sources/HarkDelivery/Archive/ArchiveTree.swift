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
        var parts: [Part] = []
        var placeOf: [Int64: Int] = [:]
        var current = -1
        for place in records.indices {
            let row = records[place].session.row
            // Most records follow one of the same session.
            if current < 0 || parts[current].session.row != row {
                if let known = placeOf[row] {
                    current = known
                } else {
                    current = parts.count
                    placeOf[row] = current
                    parts.append(Part(session: records[place].session))
                }
            }
            parts[current].places.append(place)
        }
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

    private func appendTogether(_ parts: [Part], of records: ArraySlice<Record>) throws(SystemError) {
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

    /// The records of one session, by their places.
    private struct Part {
        let session: SessionIdentity
        var places: [Int] = []
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

    /// - Parameter isSynced: false: the caller syncs everything afterwards.
    private func append(_ part: Part, of records: ArraySlice<Record>, isSynced: Bool) throws(SystemError) {
        guard let first = part.places.first else { return }
        let session = part.session
        let folder = folder(of: session)
        try makeFolders(folder, isSynced: isSynced)
        let ended = part.places.last { records[$0].kind == .sessionEnded }.map { records[$0].at }
        let isNew = records[first].kind == .sessionStarted
        if ended != nil || isNew || access(folder + "/session.json", F_OK) != 0 {
            // Without its start among what comes again, it would not be written again.
            try writeDescription(Session(session, endedAt: ended), in: folder, isSynced: isSynced || !isNew)
        }
        guard part.places.contains(where: { records[$0].kind == .event }) else { return }
        let path = folder + "/events.jsonl"
        let known = written[session.row]
        // A name that was there already need not be on disk: it may have been made right before a kill.
        let isNameSafe = isSynced && known != nil && access(path, F_OK) == 0
        let file = try AppendFile(path: path, place: place)
        // Nothing of this session was accounted for from the first of these records on.
        let last: UInt64
        if let known { last = known } else { last = try file.repairTail(from: records[first].sequence) }
        var json = JSONWriter(reservingCapacity: part.places.count * 256)
        var newest = last
        for place in part.places where records[place].kind == .event && records[place].sequence > last {
            records[place].withView { $0.write(of: session, to: &json) }
            json.newline()
            newest = records[place].sequence
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
