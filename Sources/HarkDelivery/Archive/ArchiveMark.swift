internal import Glibc
internal import HarkSystem
package import HarkWire

/// What an archive tree says of the log that it is written from (`log.json`): so that a store that was lost, emptied or set back
/// beside it is noticed, and its numbers are not given again.
///
/// It is written with each parcel and not synced. After a loss of power it may be behind the tree, never ahead of the store.
package struct ArchiveMark: Sendable, Equatable {
    /// The id of the log; another store has another.
    package var log: Identifier
    /// The newest number in the tree.
    package var newest: UInt64
    /// Lines with numbers up to this one may be of records that the log does not have.
    package var strangers: UInt64
    /// Nothing was found that the log does not have.
    package var isWhole: Bool

    package init(log: Identifier, newest: UInt64, strangers: UInt64 = 0, isWhole: Bool = true) {
        self.log = log
        self.newest = newest
        self.strangers = strangers
        self.isWhole = isWhole
    }

    private static let file = "/log.json"
    /// A number that somebody has put there must not use up those that there are.
    private static let most: Int64 = 1 << 52

    /// That of a tree; nil where there is none that can be read.
    package init?(of root: String) {
        let descriptor = open(root + ArchiveMark.file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, let members = try? JSONDocument(Array(bytes[..<count]), .json).value.objectValue,
            let log = members["log"]?.stringValue.flatMap({ Identifier($0) }),
            let newest = members["newest"]?.intValue, (0...ArchiveMark.most).contains(newest),
            let strangers = members["others"]?.intValue, (0...ArchiveMark.most).contains(strangers)
        else { return nil }
        self.init(
            log: log, newest: UInt64(newest), strangers: UInt64(strangers),
            isWhole: members["whole"]?.boolValue ?? false)
    }

    /// Each has the same length, so that one is written over the other at once.
    private var bytes: [UInt8] {
        func padded(_ text: String) -> String { text + String(repeating: " ", count: max(0, 20 - text.utf8.count)) }
        let numbers = #""newest":\#(padded("\(newest)")),"others":\#(padded("\(strangers)"))"#
        return Array("{\"log\":\"\(log)\",\(numbers),\"whole\":\(padded("\(isWhole)"))}\n".utf8)
    }

    func write(to root: String, place: String) throws(SystemError) {
        var descriptor = open(root + ArchiveMark.file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // A link that somebody laid there goes; what it leads to is none of ours.
        if descriptor < 0 { descriptor = try DurableFile.openNew(root + ArchiveMark.file, place: place) }
        defer { close(descriptor) }
        let bytes = bytes
        _ = try syscall("pwrite", detail: place) { pwrite(descriptor, bytes, bytes.count, 0) }
    }
}
