import Glibc

/// A file that may be run and is no program to the kernel: a script that does not name its shell.
enum ShellScript {
    /// Where the word of a command line leads, a new string of C's that is the caller's; nil if that is no text.
    static func path(of word: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? {
        guard let path = find(word) else { return nil }
        guard isText(path) else {
            free(path)
            return nil
        }
        return path
    }

    /// As execvp(3) finds it. Bytes and no text, as a file's name need not be that.
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

    /// Whether its first line holds no zero byte, by which shells tell a program of another machine from a script.
    private static func isText(_ path: UnsafePointer<CChar>) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        // A script that cannot be read is the shell's to refuse.
        guard file >= 0 else { return true }
        defer { close(file) }
        var head = [UInt8](repeating: 0, count: 128)
        let count = read(file, &head, head.count)
        return !head[..<max(0, count)].prefix { $0 != 0x0A }.contains(0)
    }
}
