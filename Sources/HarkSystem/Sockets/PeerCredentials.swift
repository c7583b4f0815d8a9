import CSystemd
import Glibc

/// The credentials of the peer of a Unix socket, recorded by the kernel at connection time.
package struct PeerCredentials: Sendable, Equatable {
    package let uid: UInt32
    package let gid: UInt32
    /// The pid at that time; the process may have ended, and the number may belong to another.
    package let pid: Int32
    /// The supplementary groups.
    package let groups: [UInt32]

    package init(uid: UInt32, gid: UInt32, pid: Int32, groups: [UInt32] = []) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.groups = groups
    }

    package init(of fd: Int32) throws(SystemError) {
        var credentials = hark_ucred()
        var length = socklen_t(MemoryLayout<hark_ucred>.size)
        try syscall("getsockopt", detail: "SO_PEERCRED") {
            getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        }
        self.init(
            uid: credentials.uid, gid: credentials.gid, pid: credentials.pid, groups: try Self.groups(of: fd))
    }

    package func isMember(of group: UInt32) -> Bool {
        gid == group || groups.contains(group)
    }

    private static func groups(of fd: Int32) throws(SystemError) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 32)
        while true {
            var length = socklen_t(groups.count * MemoryLayout<UInt32>.stride)
            do {
                try syscall("getsockopt", detail: "SO_PEERGROUPS") {
                    getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, &groups, &length)
                }
                return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.stride))
            } catch let error where error.code == ERANGE && Int(length) > groups.count * MemoryLayout<UInt32>.stride {
                // The kernel reports the required size.
                groups = [UInt32](repeating: 0, count: Int(length) / MemoryLayout<UInt32>.stride)
            }
        }
    }
}

/// The id of the group with a name, or nil if there is none.
package func groupID(named name: String) throws(SystemError) -> UInt32? {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    // An entry with all its members has no maximum length.
    var room = [CChar](repeating: 0, count: 1024)
    while true {
        let result = getgrnam_r(name, &entry, &room, room.count, &found)
        switch result {
        case 0: return found?.pointee.gr_gid
        case EINTR: continue
        case ERANGE: room = [CChar](repeating: 0, count: room.count * 2)
        case ENOENT, ESRCH: return nil
        default: throw SystemError(code: result, operation: "getgrnam_r", detail: "group \(name)")
        }
    }
}
