internal import Glibc
internal import HarkSystem

/// The last good document in one file: a few header lines, an empty line, and the original body.
///
/// A single file, so that a version never gets the body of another version.
struct DocumentCopy: Sendable, Equatable {
    let version: ServedVersion
    let body: [UInt8]

    private static let title = "hark document 1"

    /// The content of the file. It contains only a hash of the URL, which may include a password.
    func bytes(of url: String) -> [UInt8] {
        var head = "\(DocumentCopy.title)\nsource \(DocumentCopy.hash(url))\nbytes \(body.count)\n"
        if let etag = version.etag { head += "etag \(etag)\n" }
        if let lastModified = version.lastModified { head += "last-modified \(lastModified)\n" }
        return Array(head.utf8) + [UInt8(ascii: "\n")] + body
    }

    init(version: ServedVersion, body: [UInt8]) {
        self.version = version
        self.body = body
    }

    /// Parses the file; nil if it is damaged or of another URL.
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
            version: ServedVersion(
                etag: members["etag"].map(String.init), lastModified: members["last-modified"].map(String.init)),
            body: Array(rest))
    }

    /// Reads the copy; nil if there is no usable one.
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

    /// FNV-1a: distinguishes URLs without storing them.
    private static func hash(_ url: String) -> String {
        let hash = url.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
