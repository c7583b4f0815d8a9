internal import Glibc
internal import HarkCore
internal import HarkStore
internal import HarkSystem
internal import HarkWire

/// The folders and files of the archive: `users/<user>/sessions/<id>/session.json` and `events.jsonl`.
///
/// Writing is idempotent: each file's last line shows which records it already has, and lines that a crash or a power loss has
/// damaged are cut off before the next line is written. Files that were removed are restored from the store
/// (`ArchiveTree+Mending`). When a call returns, its changes are on disk, including names: the cursor
/// and the reply to a clear depend on it. Belongs to one thread.
final class ArchiveTree {
    let root: String
    /// Used in errors instead of full paths, which would reveal user ids.
    let place: String
    /// The state of the events file of each recently written session.
    var written: [Int64: Written] = [:]
    /// The mark of the tree's log; nil until the log has an id.
    var mark: ArchiveMark?
    /// The source of missing files.
    private let store: Store?
    private var openSource: ArchiveSource?
    /// Whether a written file turned out to be missing; others may be too.
    var isTouched = false
    /// The number of sessions that were partly restored.
    var mended = 0

    private static let remembered = 1024
    /// Folders whose names this run has synced.
    var madeFolders: Set<String> = []
    /// Folders whose names are synced by the next sync of everything.
    private var newFolders: Set<String> = []

    init(root: String, store: Store? = nil, mark: ArchiveMark? = nil) {
        self.root = root
        self.store = store
        self.mark = mark
        place = "in the archive tree \(root)"
    }

    /// Opens the store for reading; nil if there is none.
    func source() throws(SystemError) -> ArchiveSource? {
        guard openSource == nil, let store else { return openSource }
        openSource = try reading { () throws(StoreError) in try ArchiveSource(store) }
        return openSource
    }

    /// Closes the store until it is needed again.
    func closeSource() { openSource = nil }

    func reading<Value>(_ body: () throws(StoreError) -> Value) throws(SystemError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw SystemError(code: EIO, operation: ArchiveTree.readingStore, detail: error.message)
        }
    }

    static let readingStore = "reading the store"

    /// Appends records durably. After an error some may be there already; writing all again is correct.
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

    /// Beyond this number of sessions, one sync of the whole file system replaces seven syncs for each new session and
    /// two for each old one. It also waits for other writes there, but delays only this thread.
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
        /// The number of its first record.
        let first: UInt64
        /// Whether the first record is the session's start.
        let isNew: Bool
        /// The index ranges of the records.
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

    func tolerate(_ codes: [Int32], _ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) { try body() } catch  where codes.contains(error.code) {}
    }

    func userFolder(of session: SessionIdentity) -> String {
        "\(root)/users/\(UserFolder.name(for: session.userId))"
    }

    func folder(of session: SessionIdentity) -> String {
        "\(userFolder(of: session))/sessions/\(session.id)"
    }

    /// The approximate size of one write.
    private static let piece = 256 << 10
    private static let linesAtOnce = 64

    /// - Parameter isSynced: If false, the caller syncs everything afterwards.
    private func append(_ part: Part, of records: RecordsInPlace, isSynced: Bool) throws(SystemError) {
        let session = part.session
        let folder = folder(of: session)
        try makeFolders(folder, isSynced: isSynced)
        let isDescribed = access(folder + "/session.json", F_OK) == 0
        if part.endedAt != nil || part.isNew || !isDescribed {
            // Without the session's start among repeated records, the end would not be written again.
            var endedAt = part.endedAt
            if endedAt == nil, !part.isNew { endedAt = try end(of: session) }
            try writeDescription(
                Session(session, endedAt: endedAt), in: folder, isSynced: isSynced || !part.isNew)
        }
        guard part.events > 0 else { return }
        let path = folder + "/events.jsonl"
        var known = written[session.row]
        if let before = known, before.size != ArchiveTree.size(of: path) {
            // Another program has changed the file. The store has the whole session, so a rewrite includes these records.
            isTouched = true
            if try rewriteIfReadable(session, in: folder) { return }
            known = nil
        }
        // An existing name need not be on disk: the file may have been created right before a kill.
        let isNameSafe = isSynced && known != nil && access(path, F_OK) == 0
        let file: AppendFile
        do throws(SystemError) {
            file = try AppendFile(path: path, place: place)
        } catch {
            // Another program put a link there; the new file replaces it.
            isTouched = true
            if error.code == ELOOP, try rewriteIfReadable(session, in: folder) { return }
            throw error
        }
        // Records of this session from the first of these on were not accounted for.
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
        // Reusing a small buffer is faster than reserving memory for all lines.
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
        // The content is on disk; the name must be too before the cursor moves on.
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
            // Never creates the state folder: if it is gone, an administrator who restores it would find another in its place.
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

    /// Notes folders whose names are on disk.
    private func remember(_ folders: Set<String>) {
        if madeFolders.count > 4 * ArchiveTree.remembered { madeFolders.removeAll() }
        madeFolders.formUnion(folders)
    }
}
