/// The unknown members of a request. There may be as many as fit in a line, so only the first are named.
package struct UnknownMembers: Sendable, Equatable {
    package private(set) var names: [String] = []
    private var count = 0

    /// The maximum number of names in a reply.
    private static let most = 20

    package var isEmpty: Bool { count == 0 }

    package mutating func add(_ key: UnsafeBufferPointer<UInt8>) {
        count += 1
        if names.count < UnknownMembers.most { names.append(String(decoding: key, as: UTF8.self)) }
    }

    /// The warnings. A name may be as long as a line, so it is cut.
    package var warnings: [String] {
        let named = names.map { "unknown member '\($0.utf8.count > 64 ? $0.prefix(64) + "…" : $0)'" }
        return count > names.count ? named + ["and \(count - names.count) more"] : named
    }
}
