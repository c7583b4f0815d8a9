import CSystemd
import Glibc

/// The files of systemd's journal to read.
package enum JournalFiles: Sendable, Equatable {
    /// Entries of the machine's services and the kernel.
    case system
    /// Entries of this account's programs. For accounts below 1000 these are in the machine's files.
    case user
    /// All files in a folder, such as those of another machine.
    case folder(String)
}

extension JournalFiles {
    /// Whether the files may be read.
    package enum Access: Sendable, Equatable {
        case granted
        /// The account is in no group with the permission.
        case denied
        /// There are no files: no journald runs, or it keeps none of this kind.
        case absent
        /// The folder is there, and the account has written nothing yet.
        case empty
    }

    package static let firstAccountWithOwn: UInt32 = 1_000

    /// Checks whether there are files, and whether this process may open one of them.
    package var access: Access {
        let (folders, prefix): ([String], String) =
            switch self {
            case .system: (Self.machineFolders, "system")
            case .user: (Self.machineFolders, "user-\(getuid())")
            case .folder(let path): ([path], "")
            }
        var outcome = Access.absent
        for folder in folders {
            guard Self.isAccessible(folder, F_OK) else { continue }
            guard let names = Self.names(in: folder) else {
                outcome = .denied
                continue
            }
            let files = names.filter { $0.hasPrefix(prefix) && ($0.hasSuffix(".journal") || $0.hasSuffix(".journal~")) }
            if files.contains(where: { Self.isAccessible("\(folder)/\($0)", R_OK) }) { return .granted }
            if !files.isEmpty { outcome = .denied } else if outcome == .absent { outcome = .empty }
        }
        return outcome
    }

    /// The folders of the machine's files: the one kept over a restart of the machine, and the one until then.
    private static var machineFolders: [String] {
        var id = sd_id128_t()
        guard sd_id128_get_machine(&id) >= 0 else { return [] }
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 33) { buffer in
            buffer.baseAddress.flatMap { sd_id128_to_string(id, $0) }.map { String(cString: $0) } ?? ""
        }
        return ["/var/log/journal/\(name)", "/run/log/journal/\(name)"]
    }

    /// The maximum number of files to look at, more than journald keeps.
    private static let mostNames = 10_000

    private static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < mostNames, let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    private static func isAccessible(_ path: String, _ mode: Int32) -> Bool { Glibc.access(path, mode) == 0 }
}
