internal import Glibc

/// Whether this process may use the network.
package enum NetworkAccess {
    /// Whether the service's unit forbids both internet address families (`RestrictAddressFamilies=`).
    package static var isDenied: Bool { isDenied(AF_INET) && isDenied(AF_INET6) }

    private static func isDenied(_ family: Int32) -> Bool {
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return [EAFNOSUPPORT, EPERM, EACCES].contains(errno)
    }

    /// Advice for that case.
    package static var advice: String {
        let file = (programFolder ?? "/usr") + "/share/hark/network.conf"
        return """
            harkd may not use the network, as its unit keeps it away; to let it: 'sudo install -D -m 644 \(file) \
            /etc/systemd/system/harkd.service.d/network.conf', 'sudo systemctl daemon-reload' and 'sudo systemctl restart \
            harkd'
            """
    }

    /// The parent of the `bin` folder that contains this program.
    private static var programFolder: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return nil }
        let names = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: "/")
        guard names.count > 2, names[names.count - 2] == "bin" else { return nil }
        return "/" + names.dropLast(2).joined(separator: "/")
    }
}
