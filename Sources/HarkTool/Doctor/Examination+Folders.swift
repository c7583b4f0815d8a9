import HarkClient
import HarkWire

extension Examination {
    /// The folder of the daemon's data, if it is known here.
    var stateFolder: String {
        if let path = status?.store?.path { return Examination.folder(of: path) }
        if let path = machine.value("HARK_STATE") { return path }
        return isSystem ? "/var/lib/hark" : SocketPath.userState(environment: machine.environment)
    }

    var configurationFolder: String {
        if let file = configuration?.file { return Examination.folder(of: file) }
        if let path = machine.value("HARK_CONFIG") { return path }
        if isSystem { return "/etc/hark" }
        return (machine.value("XDG_CONFIG_HOME") ?? (machine.value("HOME") ?? "") + "/.config") + "/hark"
    }

    /// The owners and modes of files and folders.
    var folders: [Finding] {
        var all: [Finding] = []
        if !isSystem, let finding = folder("runtime-folder", Examination.folder(of: socket.path), isPrivate: false) {
            all.append(finding)
        }
        // The machine's folder belongs to its own account and is closed to others.
        if isSystem, machine.uid != 0 { return all }
        if let finding = folder("state-folder", stateFolder, isPrivate: true) { all.append(finding) }
        return all
    }

    /// - Returns: Nil if there is nothing to report, because the daemon makes the folder.
    private func folder(_ id: String, _ path: String, isPrivate: Bool) -> Finding? {
        guard let entry = machine.entry(path) else { return nil }
        let quoted = Examination.quoted(path)
        guard entry.kind == .folder else {
            return .fault(id, "\(path) is no folder", .mend(asOwner("mv \(quoted) \(quoted).away")))
        }
        // The path of the socket can be set freely, so its folder may be another user's, as /tmp is.
        let isOurs = entry.owner == machine.uid
        if isPrivate, !isSystem, !isOurs {
            return .fault(
                id, "\(path) belongs to user \(entry.owner), and not to this user",
                .mend(asRoot("chown -R \(machine.uid) \(quoted)")))
        }
        if isOurs, !isSystem, entry.mode & 0o700 != 0o700 || !entry.isUsable {
            return .fault(id, "\(path) is closed to its own user", .mend("chmod 700 \(quoted)"))
        }
        let isSticky = entry.mode & 0o1000 != 0
        if entry.mode & 0o022 != 0, !isSticky {
            let mode = isPrivate ? "700" : "go-w"
            return .fault(id, "other users may write into \(path)", .mend(asOwner("chmod \(mode) \(quoted)")))
        }
        if isPrivate, entry.mode & 0o077 != 0 {
            return .fault(
                id, "other users may read \(path), which has all records",
                .mend(asOwner("chmod 700 \(quoted)")))
        }
        return .ok(id, path)
    }

    /// Checks that a key file is readable by one user only.
    func key(_ path: String) -> Finding {
        let id = "key-file"
        let quoted = Examination.quoted(path)
        guard let entry = machine.entry(path) else {
            return .fault(
                id, "\(path), which the settings name, is not there",
                .mend(asOwner("sh -c 'umask 077; ${EDITOR:-vi} \"$0\"' \(quoted)")))
        }
        if entry.mode & 0o077 != 0 {
            return .fault(id, "other users may open \(path), which has a key", .mend(asOwner("chmod 600 \(quoted)")))
        }
        if !isSystem, !entry.isUsable {
            return .fault(
                id, "\(path) belongs to user \(entry.owner), and this user cannot read the key in it",
                .mend(asRoot("chown \(machine.uid) \(quoted)")))
        }
        return .ok(id, path)
    }
}
