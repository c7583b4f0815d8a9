import Glibc
import HarkClient

/// `harkd` as a program: only it knows every setting, and it can check settings files without serving.
enum DaemonProgram {
    /// Replaces this process with `harkd`: the one next to this program, or else the first on the PATH.
    ///
    /// - Returns: Only on failure, with the reason.
    static func become(_ words: [String]) -> ToolError {
        let beside = folder.map { "\($0)/harkd" }
        let programs = (beside.map { access($0, X_OK) == 0 ? [$0] : [] } ?? []) + ["harkd"]
        var code = ENOENT
        for program in programs {
            var arguments = ([program] + words).map { strdup($0) } + [nil]
            defer { for text in arguments { free(text) } }
            execvp(program, &arguments)
            code = errno
        }
        return ToolError(
            .unavailable, "harkd, which checks the settings, cannot be run: \(String(cString: strerror(code)))",
            hint: "Put it into the folder of hark, or on the PATH.")
    }

    /// The folder of this program.
    private static var folder: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0 else { return nil }
        let path = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
