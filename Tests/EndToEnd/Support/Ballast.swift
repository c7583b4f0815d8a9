import Foundation

/// A file that takes all the space a file system has left.
final class Ballast {
    private let path: String

    init(in folder: String) throws {
        path = folder + "/ballast"
        let descriptor = try check("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
        defer { close(descriptor) }
        // Down to the last byte: first in large pieces, then in ever smaller ones.
        var size = 1 << 20
        let zeros = [UInt8](repeating: 0, count: size)
        while size > 0 {
            if write(descriptor, zeros, size) < size { size /= 2 }
        }
        guard errno == ENOSPC else { throw Failure.system(path) }
    }

    func remove() throws { try check("unlink") { unlink(path) } }
}
