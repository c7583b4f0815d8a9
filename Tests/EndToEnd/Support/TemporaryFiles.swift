import Foundation
import HarkTesting

/// A few files in a folder of their own, gone with this object.
struct TemporaryFiles {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Creates a file and opens it for writing; the caller closes it.
    func create(_ name: String) throws -> CInt {
        try check("open") { open(path(name), O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }
}
