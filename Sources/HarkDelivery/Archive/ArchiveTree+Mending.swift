internal import Glibc
internal import HarkCore
internal import HarkStore
internal import HarkSystem
internal import HarkWire

/// Restores removed, cut off or damaged files from the store.
extension ArchiveTree {
    struct Written {
        /// The last number of this log.
        var last: UInt64
        var size: Int
        /// The ids of lines of other logs.
        var strangers: Set<Identifier> = []
    }

    /// Checks sessions of the store, and writes the files and events that the tree lacks.
    ///
    /// - Parameters:
    ///   - row: The row of the previous session.
    ///   - cursor: Records behind it may not have been delivered yet.
    /// - Returns: The row to continue after; nil at the end.
    func mend(afterRow row: Int64, upTo cursor: UInt64, limit: Int = 200) throws(SystemError) -> Int64? {
        defer { closeSource() }
        guard let source = try source() else { return nil }
        let sessions = try reading { () throws(StoreError) in try source.sessions(afterRow: row, limit: limit) }
        for session in sessions {
            // A session that cannot be read does not stop the others.
            do throws(SystemError) { try mend(session, upTo: cursor, source) } catch { Log.warning("\(error)") }
        }
        return sessions.count < limit ? nil : sessions.last?.identity.row
    }

    private func mend(_ session: Session, upTo cursor: UInt64, _ source: ArchiveSource) throws(SystemError) {
        let identity = session.identity
        let folder = folder(of: identity)
        let end = cursor < .max ? cursor + 1 : nil
        let newest = try reading { () throws(StoreError) in try source.newest([.event], of: identity, before: end) }
        // A session without delivered records may not be in the tree yet.
        let first = try reading { () throws(StoreError) in try source.newest(.all, of: identity, before: end) }
        guard first > 0 else { return }
        let path = folder + "/events.jsonl"
        let isDescribed = access(folder + "/session.json", F_OK) == 0
        let last = newest > 0 ? try lastNumber(in: path, of: identity) : 0
        let isLacking = newest > last
        if isDescribed, !isLacking { return }
        try makeFolders(folder, isSynced: true)
        if !isDescribed { try writeDescription(session, in: folder, isSynced: true) }
        if isLacking { _ = try rewrite(identity, in: folder) } else { mended += 1 }
    }

    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private func lastNumber(in path: String, of session: SessionIdentity) throws(SystemError) -> UInt64 {
        let size = ArchiveTree.size(of: path)
        guard size > 0 else { return 0 }
        if let known = written[session.row], known.size == size { return known.last }
        return try AppendFile(path: path, place: place).repairTail(from: .max)
    }

    /// The end time of a session in the store.
    func end(of session: SessionIdentity) throws(SystemError) -> Timestamp? {
        guard let source = try source() else { return nil }
        return try reading { () throws(StoreError) in try source.session(row: session.row)?.endedAt }
    }

    /// Whether the store has an event that the file lacks.
    func isMissing(before first: UInt64, behind last: UInt64, of session: SessionIdentity) -> Bool {
        guard let source = try? source() else { return false }
        // An unreadable event cannot be written again either.
        return ((try? source.newest([.event], of: session, before: first)) ?? 0) > last
    }

    /// The ids in a file that has lines of other logs.
    func strangers(in path: String, of session: SessionIdentity) throws(SystemError) -> Set<Identifier> {
        guard let last = mark?.strangers, last > 0 else { return [] }
        var ids: Set<Identifier> = []
        ArchiveLines.forEach(in: path) { line in
            if line.sequence <= last, let id = line.id { ids.insert(id) }
        }
        return ids
    }

    /// Like `rewrite`, but leaves the file as it is if the store cannot be read.
    func rewriteIfReadable(_ session: SessionIdentity, in folder: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try rewrite(session, in: folder)
        } catch  where error.operation == ArchiveTree.readingStore {
            Log.warning("what is missing \(place) could not be written again: \(error)")
            return false
        }
    }

    /// Rewrites the events of a session, if the tree has any.
    func rewriteIfThere(_ session: SessionIdentity) throws(SystemError) {
        defer { closeSource() }
        let folder = folder(of: session)
        guard access(folder + "/events.jsonl", F_OK) == 0 else { return }
        _ = try rewrite(session, in: folder)
    }

    /// Rewrites the events of a session from the store; lines that only the file has come first.
    ///
    /// - Returns: False if there is no store to read, or the session is being removed.
    func rewrite(_ session: SessionIdentity, in folder: String) throws(SystemError) -> Bool {
        guard let source = try source(),
            try reading({ () throws(StoreError) in try source.session(row: session.row) }) != nil
        else { return false }
        written[session.row] = nil
        let (path, draft) = (folder + "/events.jsonl", folder + "/events.jsonl.new")
        let file = try AppendFile(path: draft, place: place, isNew: true)
        var state = Written(last: 0, size: 0)
        let own = try reading { () throws(StoreError) in try source.eventIds(of: session.id) }
        try ArchiveLines.forEach(in: path) { line throws(SystemError) in
            guard let id = line.id, !own.contains(id) else { return }
            try file.append(Array(line.bytes), isSynced: false)
            state.strangers.insert(id)
        }
        var json = JSONWriter()
        var fault: SystemError?
        try reading { () throws(StoreError) in
            try source.forEachEvent(of: session) { record in
                record.write(of: session, to: &json)
                json.newline()
                state.last = record.sequence
                guard json.bytes.count > 1 << 18, fault == nil else { return }
                do throws(SystemError) { try file.append(json.bytes, isSynced: false) } catch { fault = error }
                json.bytes.removeAll(keepingCapacity: true)
            }
        }
        if let fault { throw fault }
        try file.append(json.bytes, isSynced: true)
        state.size = try file.size()
        _ = try syscall("rename", detail: place) { rename(draft, path) }
        try DurableFile.syncFolder(folder, place: place)
        written[session.row] = state
        mended += 1
        return true
    }
}
