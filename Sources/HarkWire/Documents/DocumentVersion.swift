/// A version of Hark, by what it reads of documents: a later one reads all that an earlier one does.
package struct DocumentVersion: Sendable, Hashable {
    package let major: Int
    package let minor: Int
    package let patch: Int

    /// The first that took documents from a hub. It does not say what it reads.
    package static let first = DocumentVersion(0, 1, 0)

    package init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// - Parameter text: three numbers parted by dots, each of four digits at most.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.prefix(4).compactMap { part -> Int? in
            let isNumber =
                (1...4).contains(part.count) && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return isNumber ? part.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) } : nil
        }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        self.init(numbers[0], numbers[1], numbers[2])
    }
}

extension DocumentVersion: Comparable {
    package static func < (left: DocumentVersion, right: DocumentVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

extension DocumentVersion: CustomStringConvertible {
    package var description: String { "\(major).\(minor).\(patch)" }
}
