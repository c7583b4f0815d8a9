import HarkClient

/// Short lists that a statement has read, so that a join does not fetch them for each row.
final class PageMemory {
    private var lists: [[UInt8]: [[UInt8]]] = [:]
    private var bytes = 0

    /// The maximum size of a list, and of all lists together, in bytes.
    static let mostOfOne = 16 << 20
    private static let mostOfAll = 64 << 20

    subscript(_ key: [UInt8]) -> [[UInt8]]? { lists[key] }

    /// - Parameter key: The request for the first page.
    func keep(_ pages: [[UInt8]], as key: [UInt8]) {
        let size = pages.reduce(key.count + 256) { $0 + $1.count }
        guard bytes + size <= Self.mostOfAll, lists[key] == nil else { return }
        bytes += size
        lists[key] = pages
    }

    func forget() {
        lists = [:]
        bytes = 0
    }
}
