import Glibc

/// Where this program lies, and others that were installed with it.
enum OwnProgram {
    static let path: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { return "hark" }
        return String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// The daemon's program: beside this one, or on the PATH.
    static var daemon: String {
        guard let slash = path.lastIndex(of: "/") else { return "harkd" }
        let beside = path[...slash] + "harkd"
        return access(String(beside), X_OK) == 0 ? String(beside) : "harkd"
    }
}
