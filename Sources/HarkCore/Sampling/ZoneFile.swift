internal import HarkWire

/// A time zone read from a file of tzdata, in version 2 or later of TZif (RFC 9636).
package struct ZoneFile: Sendable {
    /// The times from which offsets apply, in seconds since 1970, ascending, and the offsets in seconds ahead of UTC.
    private let transitions: [(at: Int64, offset: Int64)]
    /// The offset before the first transition.
    private let initial: Int64
    /// The rule after the last transition; nil: the last offset applies for ever.
    private let rule: ZoneRule?

    /// - Returns: nil if the bytes are not such a file.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let old = reader.header(), reader.skip(old.size(timeBytes: 4)), let header = reader.header(),
            header.version >= 2, header.types > 0, header.size(timeBytes: 8) <= bytes.count
        else { return nil }
        var times: [Int64] = []
        for _ in 0..<header.times { times.append(Int64(bitPattern: reader.number(8))) }
        let kinds = (0..<header.times).map { _ in Int(reader.number(1)) }
        var offsets: [Int64] = []
        for _ in 0..<header.types {
            offsets.append(Int64(Int32(truncatingIfNeeded: reader.number(4))))
            _ = reader.number(2)
        }
        guard reader.skip(header.characters + header.leaps * 12 + header.standards + header.universals),
            !reader.isShort,
            kinds.allSatisfy(offsets.indices.contains), offsets.allSatisfy({ abs($0) < 100_000 }),
            let initial = offsets.first
        else { return nil }
        transitions = zip(times, kinds).map { (at: $0, offset: offsets[$1]) }
        self.initial = initial
        rule = ZoneRule(reader.line())
    }

    /// The offset in seconds ahead of UTC at a time, in seconds since 1970.
    package func offset(atSeconds time: Int64) -> Int64 {
        if let last = transitions.last, time >= last.at { return rule?.offset(atSeconds: time) ?? last.offset }
        if transitions.isEmpty { return rule?.offset(atSeconds: time) ?? initial }
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? initial : transitions[low - 1].offset
    }
}

extension LocalZone {
    package init(_ file: ZoneFile) {
        self.init { time in
            let (quotient, rest) = time.milliseconds.quotientAndRemainder(dividingBy: 1_000)
            return file.offset(atSeconds: rest < 0 ? quotient - 1 : quotient) * 1_000
        }
    }
}

private struct ByteReader {
    private var rest: ArraySlice<UInt8>
    private(set) var isShort = false

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    struct Header {
        let version: Int
        let universals: Int
        let standards: Int
        let leaps: Int
        let times: Int
        let types: Int
        let characters: Int

        func size(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + standards + universals
        }
    }

    mutating func number(_ count: Int) -> UInt64 {
        guard rest.count >= count else {
            isShort = true
            return 0
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func skip(_ count: Int) -> Bool {
        guard rest.count >= count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    mutating func header() -> Header? {
        guard rest.starts(with: "TZif".utf8), skip(4) else { return nil }
        let version = Int(number(1)) - 0x30
        guard skip(15) else { return nil }
        // No real zone comes near this limit.
        let counts = (0..<6).map { _ in Int(number(4)) }
        guard !isShort, counts.allSatisfy({ $0 < 100_000 }) else { return nil }
        return Header(
            version: version, universals: counts[0], standards: counts[1], leaps: counts[2], times: counts[3],
            types: counts[4], characters: counts[5])
    }

    /// Reads the footer: a text between two line feeds. Empty if there is none.
    mutating func line() -> String {
        guard number(1) == 0x0A else { return "" }
        return String(decoding: rest.prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
