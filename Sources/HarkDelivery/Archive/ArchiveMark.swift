internal import Glibc
internal import HarkSystem
package import HarkWire

/// The description in an archive tree of its log (`log.json`): if the store was lost, emptied or set back, this reveals
/// it, so that numbers are not used again.
///
/// It is written with each parcel, not synced. After a power loss it may be behind the tree, never ahead of the store.
package struct ArchiveMark: Sendable, Equatable {
    /// The id of the log, which identifies a store.
    package var log: Identifier
    /// The newest number in the tree.
    package var newest: UInt64
    /// Lines with numbers up to this one may belong to records that the log does not have.
    package var strangers: UInt64
    /// Whether nothing was found that the log does not have.
    package var isWhole: Bool

    package init(log: Identifier, newest: UInt64, strangers: UInt64 = 0, isWhole: Bool = true) {
        self.log = log
        self.newest = newest
        self.strangers = strangers
        self.isWhole = isWhole
    }

    private static let file = "/log.json"
    /// Bounded, so that a forged number cannot use up the number space.
    private static let most: Int64 = 1 << 52

    /// Reads the mark of a tree; nil if there is no readable one.
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

    /// The content, of constant length, so that one write replaces the previous content.
    private var bytes: [UInt8] {
        func padded(_ text: String) -> String { text + String(repeating: " ", count: max(0, 20 - text.utf8.count)) }
        let numbers = #""newest":\#(padded("\(newest)")),"others":\#(padded("\(strangers)"))"#
        return Array("{\"log\":\"\(log)\",\(numbers),\"whole\":\(padded("\(isWhole)"))}\n".utf8)
    }

    func write(to root: String, place: String) throws(SystemError) {
        var descriptor = open(root + ArchiveMark.file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // Replaces a link that another program put there; its target is not touched.
        if descriptor < 0 { descriptor = try DurableFile.openNew(root + ArchiveMark.file, place: place) }
        defer { close(descriptor) }
        let bytes = bytes
        _ = try syscall("pwrite", detail: place) { pwrite(descriptor, bytes, bytes.count, 0) }
    }
}
