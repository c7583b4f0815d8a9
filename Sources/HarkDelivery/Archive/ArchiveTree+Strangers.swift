internal import Glibc
internal import HarkCore
internal import HarkStore
internal import HarkSystem
internal import HarkWire

/// The amount of data that an archive tree has and its store has not.
package struct ArchiveStrangers: Sendable, Equatable {
    package var sessions = 0
    package var events = 0

    package init() {}

    package static func += (sum: inout ArchiveStrangers, more: ArchiveStrangers) {
        sum.sessions += more.sessions
        sum.events += more.events
    }
}

extension ArchiveTree {
    /// The highest number in a tree without a mark.
    static func newest(in root: String) -> UInt64 {
        var newest: UInt64 = 0
        for folder in folders(of: root) {
            ArchiveLines.forEach(in: folder + "/events.jsonl") { newest = max(newest, $0.sequence) }
        }
        return min(newest, 1 << 52)
    }

    /// The folders of all sessions, or of those of one user.
    static func folders(of root: String, user: String? = nil) -> [String] {
        let users = user.map { [$0] } ?? names(in: root + "/users")
        return users.flatMap { user in
            let sessions = "\(root)/users/\(user)/sessions"
            return names(in: sessions).map { "\(sessions)/\($0)" }
        }
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    static func id(of folder: String) -> Identifier? {
        folder.lastIndex(of: "/").flatMap { Identifier(String(folder[folder.index(after: $0)...])) }
    }

    /// Counts the data of these sessions that the store lacks.
    func countStrangers(in folders: ArraySlice<String>) throws(SystemError) -> ArchiveStrangers {
        defer { closeSource() }
        var sum = ArchiveStrangers()
        guard let source = try source() else { return sum }
        for folder in folders {
            guard let id = ArchiveTree.id(of: folder) else { continue }
            switch try reading({ () throws(StoreError) in try source.holder(of: id) }) {
            case .removed: break
            case .nobody: sum += count(in: folder)
            case .session:
                let own = try reading { () throws(StoreError) in try source.eventIds(of: id) }
                var events = 0
                ArchiveLines.forEach(in: folder + "/events.jsonl") { line in
                    if let id = line.id, !own.contains(id) { events += 1 }
                }
                sum.events += events
            }
        }
        return sum
    }

    private func count(in folder: String) -> ArchiveStrangers {
        var found = ArchiveStrangers()
        found.sessions = 1
        ArchiveLines.forEach(in: folder + "/events.jsonl") { _ in found.events += 1 }
        return found
    }

    /// Removes sessions that only the tree has.
    ///
    /// - Parameter uid: The user whose sessions are removed; nil for all.
    func clear(_ target: Selection.Target, uid: UInt32?) throws(SystemError) -> ArchiveStrangers {
        defer { closeSource() }
        var sum = ArchiveStrangers()
        guard let source = try source() else { return sum }
        var user: String?
        if case .user(let userId) = target { user = UserFolder.name(for: userId) }
        for folder in ArchiveTree.folders(of: root, user: user) {
            guard let id = ArchiveTree.id(of: folder) else { continue }
            if case .session(let wanted) = target, wanted != id { continue }
            guard case .nobody = try reading({ () throws(StoreError) in try source.holder(of: id) }),
                uid == nil || uid == ArchiveTree.uid(of: folder)
            else { continue }
            let found = count(in: folder)
            try remove(sessionAt: folder)
            sum += found
        }
        return sum
    }

    /// The uid in the description of a session of this machine.
    private static func uid(of folder: String) -> UInt32? {
        let descriptor = open(folder + "/session.json", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, let members = try? JSONDocument(Array(bytes[..<count]), .json).value.objectValue,
            members["machine"] == nil
        else { return nil }
        return members["uid"]?.intValue.flatMap { UInt32(exactly: $0) }
    }
}
