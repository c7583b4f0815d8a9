package import HarkWire

/// The distinct contents that the showings of a survey have shown, with their numbers and times.
///
/// Versions are compared byte for byte, so each translation is a version of its own.
package struct ShownContents: Sendable {
    package struct Content: Sendable {
        /// As JSON.
        package let bytes: [UInt8]
        package fileprivate(set) var count: Int
        package fileprivate(set) var first: Timestamp
        package fileprivate(set) var last: Timestamp
    }

    /// In order of first appearance.
    package private(set) var contents: [Content] = []
    private var places: [[UInt8]: Int] = [:]
    /// The index of the version that was added last.
    private var latest = 0
    private var byteCount = 0
    private let mostBytes: Int

    package init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// - Returns: false if there is no room for another version; the showing is not counted then.
    package mutating func add(_ shown: UnsafeBufferPointer<UInt8>, at time: Timestamp) -> Bool {
        // Most showings show the same content as the one before.
        let isLatest =
            !contents.isEmpty
            && contents[latest].bytes.withUnsafeBufferPointer { $0.hasSameBytes(as: shown) }
        if isLatest {
            count(latest, at: time)
            return true
        }
        let bytes = Array(shown)
        if let place = places[bytes] {
            count(place, at: time)
            return true
        }
        guard contents.isEmpty || byteCount + bytes.count <= mostBytes else { return false }
        byteCount += bytes.count
        latest = contents.count
        places[bytes] = latest
        contents.append(Content(bytes: bytes, count: 1, first: time, last: time))
        return true
    }

    private mutating func count(_ place: Int, at time: Timestamp) {
        contents[place].count += 1
        contents[place].first = min(contents[place].first, time)
        contents[place].last = max(contents[place].last, time)
        latest = place
    }

    /// The name of a version, the same on every machine.
    package static func version(of bytes: some Sequence<UInt8>) -> String {
        var hash = StableHash()
        for byte in bytes { hash.mix(byte) }
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Names versions, and caches the last name: most showings show the same content as the one before.
    package struct Versions {
        private var shown: [UInt8] = []
        private var version = ""

        package init() {}

        package mutating func version(of bytes: UnsafeBufferPointer<UInt8>) -> String {
            let isKnown = shown.withUnsafeBufferPointer { $0.hasSameBytes(as: bytes) }
            if !isKnown || version.isEmpty { (shown, version) = (Array(bytes), ShownContents.version(of: bytes)) }
            return version
        }
    }

    package var definitions: [SurveyDefinition] {
        contents.map { content in
            var definition = SurveyDefinition()
            definition.version = ShownContents.version(of: content.bytes)
            definition.count = Int64(content.count)
            definition.firstAt = content.first
            definition.lastAt = content.last
            definition.shown = AnyJSON(text: content.bytes)
            return definition
        }
    }
}
