import Glibc

/// The path of this program, and of programs installed with it.
enum OwnProgram {
    static let path: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { return "hark" }
        return String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// The daemon's program.
    static var daemon: String { beside("harkd") }

    /// Returns the path of a program next to this one, or else its name, to be found on the PATH.
    static func beside(_ name: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return name }
        let beside = path[...slash] + name
        return access(String(beside), X_OK) == 0 ? String(beside) : name
    }
}
