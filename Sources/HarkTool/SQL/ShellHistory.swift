import Glibc
import HarkClient
import HarkWire

/// The lines that were typed in the shell, in this run and in earlier ones.
///
/// They are kept in a file that only their owner may read, as what is asked may tell about somebody. Where it cannot be
/// written they last as long as the shell.
struct ShellHistory {
    private(set) var lines: [String] = []
    private let path: String

    /// So many are kept over a start, and a longer line not at all.
    private static let most = 1_000
    private static let longest = 10_000
    /// A file beyond this is somebody else's.
    private static let mostBytes = 16 << 20

    /// - Parameter path: the file; without it, `sql_history` in the state folder.
    init(path: String? = nil) {
        self.path = path ?? SocketPath.userState(environment: SocketAddress.environment) + "/sql_history"
        guard let text = read() else { return }
        let all = text.split(separator: "\n").map(String.init)
        lines = all.suffix(Self.most)
        if all.count > 2 * Self.most { shorten() }
    }

    /// Takes a line that was entered; not what is empty, nor the same twice in a row.
    mutating func add(_ line: String) {
        guard !line.allSatisfy(\.isWhitespace), line != lines.last, line.utf8.count <= Self.longest else { return }
        lines.append(line)
        makeFolder()
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // In one go, so that the lines of two shells do not mix.
        let bytes = Array((line + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    private func read() -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.mostBytes
        else {
            return nil
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the file anew with the lines that are kept.
    private func shorten() {
        guard let file = try? OutputFile(replacing: path) else { return }
        do {
            try file.write((lines.joined(separator: "\n") + "\n").utf8)
            try file.finish()
        } catch {
            // The old one stays.
            return
        }
    }

    private func makeFolder() {
        guard let slash = path.lastIndex(of: "/") else { return }
        let folder = String(path[..<slash])
        if access(folder, F_OK) == 0 { return }
        var made = ""
        for part in folder.split(separator: "/") {
            made += "/" + part
            mkdir(made, 0o700)
        }
    }
}
