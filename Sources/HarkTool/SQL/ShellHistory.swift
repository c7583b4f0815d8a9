import Glibc
import HarkClient
import HarkWire

/// The lines typed in the shell, in this run and earlier ones.
///
/// They are kept in a file that only its owner may read, because queries may reveal personal data. If the file cannot
/// be written, they last as long as the shell.
struct ShellHistory {
    private(set) var lines: [String] = []
    private let path: String

    /// The maximum number of lines to keep, and the maximum length of a line.
    private static let most = 1_000
    private static let longest = 10_000
    /// A larger file is not ours.
    private static let mostBytes = 16 << 20

    /// - Parameter path: The file; by default `sql_history` in the state folder.
    init(path: String? = nil) {
        self.path = path ?? SocketPath.userState(environment: SocketAddress.environment) + "/sql_history"
        guard let text = read() else { return }
        let all = text.split(separator: "\n").map(String.init)
        lines = all.suffix(Self.most)
        if all.count > 2 * Self.most { shorten() }
    }

    /// Adds an entered line, unless it is blank or equal to the last one.
    mutating func add(_ line: String) {
        guard !line.allSatisfy(\.isWhitespace), line != lines.last, line.utf8.count <= Self.longest else { return }
        lines.append(line)
        makeFolder()
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // A single write, so that the lines of two shells do not mix.
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

    /// Rewrites the file with the lines that are kept.
    private func shorten() {
        guard let file = try? OutputFile(replacing: path) else { return }
        do {
            try file.write((lines.joined(separator: "\n") + "\n").utf8)
            try file.finish()
        } catch {
            // The old file stays.
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
