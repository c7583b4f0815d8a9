internal import Glibc
internal import HarkSystem

/// The last good document in a file of its own: a few lines about it, an empty line, and its body as it came.
///
/// One file, so that a version is never kept with another version's body.
struct DocumentCopy: Sendable, Equatable {
    let version: DocumentVersion
    let body: [UInt8]

    private static let title = "hark document 1"

    /// The text of the file. Of the URL only a hash is written, as it may hold a password.
    func bytes(of url: String) -> [UInt8] {
        var head = "\(DocumentCopy.title)\nsource \(DocumentCopy.hash(url))\nbytes \(body.count)\n"
        if let etag = version.etag { head += "etag \(etag)\n" }
        if let lastModified = version.lastModified { head += "last-modified \(lastModified)\n" }
        return Array(head.utf8) + [UInt8(ascii: "\n")] + body
    }

    init(version: DocumentVersion, body: [UInt8]) {
        self.version = version
        self.body = body
    }

    /// Nil if the file is damaged or holds a document from another URL.
    init?(_ bytes: [UInt8], of url: String) {
        var rest = bytes[...]
        var members: [Substring: Substring] = [:]
        var isTitle = true
        while true {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            if isTitle {
                guard line == DocumentCopy.title else { return nil }
                isTitle = false
            } else {
                let parts = line.split(separator: " ", maxSplits: 1)
                guard parts.count == 2 else { return nil }
                members[parts[0]] = parts[1]
            }
        }
        guard members["source"] == DocumentCopy.hash(url)[...], members["bytes"].flatMap({ Int($0) }) == rest.count
        else { return nil }
        self.init(
            version: DocumentVersion(
                etag: members["etag"].map(String.init), lastModified: members["last-modified"].map(String.init)),
            body: Array(rest))
    }

    /// Reads the copy; nil if there is none that can be used.
    static func read(_ path: String, of url: String, maxBytes: Int) throws(SystemError) -> DocumentCopy? {
        do throws(SystemError) {
            let file = try FileDescriptor.open(path, flags: O_RDONLY)
            return DocumentCopy(try file.readAll(limit: maxBytes + 16_384), of: url)
        } catch  where error.code == ENOENT {
            return nil
        }
    }

    func write(_ path: String, of url: String) throws(SystemError) {
        try DurableFile.replace(path, with: bytes(of: url), place: path)
    }

    /// FNV-1a: tells URLs apart without writing them down.
    private static func hash(_ url: String) -> String {
        let hash = url.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
