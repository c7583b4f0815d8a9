import Foundation

/// All files below a folder, as bytes.
struct RawFiles {
    let content: [(name: String, data: Data)]

    init(_ root: String) throws {
        content = try RawFiles.names(below: root).map { ($0, try RawFiles.read("\(root)/\($0)")) }
    }

    /// Not Foundation's `subpaths`, which tells nothing at all if a folder goes while it looks.
    private static func names(below root: String) -> [String] {
        let own = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return own + own.flatMap { name in names(below: "\(root)/\(name)").map { "\(name)/\($0)" } }
    }

    /// Reads to the end, however the length changes meanwhile. A file that has gone has no content.
    private static func read(_ path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return Data() }
            throw Failure.system(path)
        }
        defer { close(descriptor) }
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0, errno == EISDIR { return Data() }
            guard count >= 0 else { throw Failure.system(path) }
            if count == 0 { return data }
            data.append(contentsOf: piece[..<count])
        }
    }

    /// Which of the words stand in a file or in its name.
    func occurring(of words: [String]) -> Set<String> {
        Set(
            words.filter { word in
                content.contains { $0.name.contains(word) || $0.data.range(of: Data(word.utf8)) != nil }
            })
    }
}
