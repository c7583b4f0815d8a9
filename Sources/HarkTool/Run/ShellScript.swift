import Glibc

/// An executable file that the kernel cannot run: a script without `#!`.
enum ShellScript {
    /// Returns the script that a command word leads to, as a C string owned by the caller; nil if it is not a text.
    static func path(of word: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? {
        guard let path = find(word) else { return nil }
        guard isText(path) else {
            free(path)
            return nil
        }
        return path
    }

    /// Searches like execvp(3). Works on bytes, because a file name need not be text.
    private static func find(_ word: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? {
        guard strchr(word, CInt(UInt8(ascii: "/"))) == nil else { return strdup(word) }
        let folders = getenv("PATH").map { strdup($0) } ?? strdup("/bin:/usr/bin")
        defer { free(folders) }
        var rest = folders
        while let folder = strsep(&rest, ":") {
            let start = folder.pointee == 0 ? strdup(".") : strdup(folder)
            defer { free(start) }
            guard let start else { continue }
            let length = strlen(start) + strlen(word) + 2
            guard let path = malloc(length)?.assumingMemoryBound(to: CChar.self) else { continue }
            strcpy(path, start)
            strcat(path, "/")
            strcat(path, word)
            var status = Glibc.stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 { return path }
            free(path)
        }
        return nil
    }

    /// Whether its first line has no zero byte, which is how shells tell a script from a foreign binary.
    private static func isText(_ path: UnsafePointer<CChar>) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        // The shell reports a script that cannot be read.
        guard file >= 0 else { return true }
        defer { close(file) }
        var head = [UInt8](repeating: 0, count: 128)
        let count = read(file, &head, head.count)
        return !head[..<max(0, count)].prefix { $0 != 0x0A }.contains(0)
    }
}
