import FoundationEssentials
import Glibc
import HarkSystem

/// A temporary folder for one test, removed with its content when this object is released.
///
/// Keep it in the suite, as a process of an exit test (which gets `path` in its capture list) does not clean up.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter inMemory: Whether the folder is in memory, where syncing costs nothing, for tests that do not need the disk.
    package init(inMemory: Bool = false) throws {
        let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/hark-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Another process or thread may still be writing here. `FileManager` then says "Operation not permitted" of a folder that
    /// is no longer empty, and "No such file" of a file that was removed meanwhile. So the removal is tried for two seconds.
    deinit {
        for _ in 0..<200 where access(path, F_OK) == 0 {
            do { try FileManager.default.removeItem(atPath: path) } catch { usleep(10_000) }
        }
        if access(path, F_OK) == 0 { fatalError("a test cannot clean up \(path): something goes on writing there") }
    }
}
