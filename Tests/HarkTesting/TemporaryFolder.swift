import FoundationEssentials
import Glibc
import HarkSystem

/// A folder of its own for one test, gone with all it holds when this object goes.
///
/// Keep it in the suite, as a process of an exit test (which gets `path` in its capture list) does not clean up.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter inMemory: where syncing costs nothing, for tests that are not about the disk.
    package init(inMemory: Bool = false) throws {
        let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/hark-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            fatalError("a test cannot clean up \(path): \(error)")
        }
    }
}
