internal import Glibc
internal import HarkCore
internal import HarkStore
internal import HarkSystem
internal import HarkWire

/// The folders and files of the archive: `users/<user>/sessions/<id>/session.json` and `events.jsonl`.
///
/// Writing the same records twice changes nothing: each file's last line tells what it already has, and what a crash or a
/// loss of power has damaged is cut off before the next line is written. What somebody else has taken away is written again
/// from the store (`ArchiveTree+Mending`). What was appended or removed is on disk, names
/// and all, when a call returns: the cursor and the reply to a clear rest on it. Belongs to one thread.
final class ArchiveTree {
    let root: String
    /// Named in errors instead of full paths, which would tell user ids.
    let place: String
    /// How the events file of each session lately written to ended then.
    var written: [Int64: Written] = [:]
    /// What the tree says of its log; nil until that has an id.
    var mark: ArchiveMark?
    /// Where what is missing is read from.
    private let store: Store?
    private var openSource: ArchiveSource?
    /// Something was found to be gone that had been written: there may be more.
    var isTouched = false
    /// Sessions of which something was written again from the store.
    var mended = 0

    private static let remembered = 1024
    /// Folders whose names are on disk, as far as this run has seen to it.
    private var madeFolders: Set<String> = []
    /// Folders whose names will be once all is synced.
    private var newFolders: Set<String> = []

    init(root: String, store: Store? = nil, mark: ArchiveMark? = nil) {
        self.root = root
        self.store = store
        self.mark = mark
        place = "in the archive tree \(root)"
    }

    /// Reads the store; nil where there is none.
    func source() throws(SystemError) -> ArchiveSource? {
        guard openSource == nil, let store else { return openSource }
        openSource = try reading { () throws(StoreError) in try ArchiveSource(store) }
        return openSource
    }

    /// Until it is needed again, nothing is kept open.
    func closeSource() { openSource = nil }

    func reading<Value>(_ body: () throws(StoreError) -> Value) throws(SystemError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw SystemError(code: EIO, operation: ArchiveTree.readingStore, detail: error.message)
        }
    }

    static let readingStore = "reading the store"

    /// Appends records and makes them durable; on an error some may be there already, and writing them again is right.
    func append(_ records: ArraySlice<Record>) throws(SystemError) {
        defer { closeSource() }
        try records.inPlace { records throws(SystemError) in try append(records) }
        guard var mark, let newest = records.last?.sequence, newest > mark.newest else { return }
        mark.newest = newest
        try mark.write(to: root, place: place)
        self.mark = mark
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
    struct Part {
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
        try remove(sessionAt: folder(of: session))
    }

    /// - Parameter folder: `users/<user>/sessions/<id>` of the tree.
    func remove(sessionAt folder: String) throws(SystemError) {
        for file in ["/events.jsonl", "/events.jsonl.new", "/session.json", "/session.json.new"] {
            try tolerate([ENOENT, ENOTDIR]) { () throws(SystemError) in
                _ = try syscall("unlink", detail: place) { unlink(folder + file) }
            }
        }
        // The user's folders go with the last session.
        let user = DurableFile.parent(of: DurableFile.parent(of: folder))
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

    func tolerate(_ codes: [Int32], _ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) { try body() } catch  where codes.contains(error.code) {}
    }

    func userFolder(of session: SessionIdentity) -> String {
        "\(root)/users/\(UserFolder.name(for: session.userId))"
    }

    func folder(of session: SessionIdentity) -> String {
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
        let isDescribed = access(folder + "/session.json", F_OK) == 0
        if part.endedAt != nil || part.isNew || !isDescribed {
            // Without its start among what comes again, it would not be written again.
            var endedAt = part.endedAt
            if endedAt == nil, !part.isNew { endedAt = try end(of: session) }
            try writeDescription(
                Session(session, endedAt: endedAt), in: folder, isSynced: isSynced || !part.isNew)
        }
        guard part.events > 0 else { return }
        let path = folder + "/events.jsonl"
        var known = written[session.row]
        if let before = known, before.size != ArchiveTree.size(of: path) {
            // Somebody else was there. All of this session that is in the store is on disk, so these records are, too.
            isTouched = true
            if try rewriteIfReadable(session, in: folder) { return }
            known = nil
        }
        // A name that was there already need not be on disk: it may have been made right before a kill.
        let isNameSafe = isSynced && known != nil && access(path, F_OK) == 0
        let file: AppendFile
        do throws(SystemError) {
            file = try AppendFile(path: path, place: place)
        } catch {
            // A link that somebody laid there: the new file takes its place.
            isTouched = true
            if error.code == ELOOP, try rewriteIfReadable(session, in: folder) { return }
            throw error
        }
        // Nothing of this session was accounted for from the first of these records on.
        var state: Written
        if let known {
            state = known
        } else {
            state = Written(last: try file.repairTail(from: part.first), size: 0)
            if !part.isNew, isMissing(before: part.first, behind: state.last, of: session) {
                isTouched = true
                if try rewriteIfReadable(session, in: folder) { return }
            }
            state.strangers = try strangers(in: path, of: session)
            state.size = try file.size()
        }
        // Memory that is still at hand when it is used again takes less time than room for all of it.
        var json = JSONWriter(reservingCapacity: min(part.events * 512, ArchiveTree.piece + ArchiveTree.piece / 4))
        let last = state.last
        func write(isSynced: Bool) throws(SystemError) {
            if json.bytes.isEmpty { return }
            try file.append(json.bytes, isSynced: isSynced)
            state.size += json.bytes.count
            json.bytes.removeAll(keepingCapacity: true)
        }
        for places in part.places {
            for start in stride(from: places.lowerBound, to: places.upperBound, by: ArchiveTree.linesAtOnce) {
                let some = start..<min(start + ArchiveTree.linesAtOnce, places.upperBound)
                let newest = records.writeLines(
                    some, behind: last, of: session, except: state.strangers, to: &json)
                state.last = max(state.last, newest)
                if json.bytes.count >= ArchiveTree.piece { try write(isSynced: false) }
            }
        }
        if state.last > last { try write(isSynced: isSynced) }
        // The file's content is on disk; its name has to be as well before the cursor moves on.
        if isSynced, !isNameSafe { try DurableFile.syncFolder(folder, place: place) }
        written[session.row] = state
    }

    func writeDescription(_ session: Session, in folder: String, isSynced: Bool) throws(SystemError) {
        var json = JSONWriter()
        session.write(to: &json)
        json.newline()
        try DurableFile.replace(folder + "/session.json", with: json.bytes, isSynced: isSynced, place: place)
    }

    func makeFolders(_ path: String, isSynced: Bool) throws(SystemError) {
        if newFolders.contains(path) { return }
        if madeFolders.contains(path) {
            if access(path, F_OK) == 0 { return }
            isTouched = true
        }
        let parent = DurableFile.parent(of: path)
        if path == root {
            // Never the state folder: where that is gone, whoever puts it back would find something in its place.
            guard access(parent, F_OK) == 0 else { throw SystemError(code: ENOENT, operation: "mkdir", detail: place) }
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
