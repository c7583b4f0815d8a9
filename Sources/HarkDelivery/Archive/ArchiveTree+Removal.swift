internal import Glibc
internal import HarkCore
internal import HarkSystem

/// Removes sessions from the tree.
extension ArchiveTree {
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
        // The user's folders are removed with the last session.
        let user = DurableFile.parent(of: DurableFile.parent(of: folder))
        for empty in [folder, user + "/sessions", user] {
            madeFolders.remove(empty)
            try tolerate([ENOENT, ENOTEMPTY, EEXIST]) { () throws(SystemError) in
                _ = try syscall("rmdir", detail: place) { rmdir(empty) }
            }
        }
        // Otherwise the files could be back after a power loss. It is done even if nothing was left to remove: an earlier call
        // may have been killed before its sync.
        for left in [folder, user + "/sessions", user, root + "/users"] {
            do throws(SystemError) {
                return try DurableFile.syncFolder(left, place: place)
            } catch  where error.code == ENOENT || error.code == ENOTDIR {}
        }
    }
}
