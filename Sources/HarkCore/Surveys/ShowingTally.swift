import HarkWire

/// A summary, for results, of a few hundred consecutive showings of a survey. Counting it takes a twentieth of the time
/// of reading their rows.
///
/// It is derived from the rows alone, so it may be deleted at any time.
package struct ShowingTally {
    /// The account, and the texts by which results may be split, shared by several showings.
    struct Place {
        let uid: UInt32
        /// App, locale, surface, zone and variant, in the form that `appendText` writes.
        let texts: Range<Int>
    }

    struct Row {
        let kind: Int
        let place: Int
        let time: Timestamp
        /// The time from showing to answer, in milliseconds.
        let took: Int64?
        /// A hash of the user who answered; nil if anonymous or not answered.
        let person: UInt64?
        /// The text answers, packed.
        let texts: Range<Int>
    }

    private let bytes: [UInt8]
    /// Keys from `ShowingRow.appendKind`.
    private(set) var kinds: [[UInt8]] = []
    private(set) var places: [Place] = []
    private(set) var rows: [Row] = []

    /// The greatest number of showings in a tally, and the size in bytes at which it is full.
    package static let mostRows = 512
    private static let mostBytes = 262_144
    private static let version: UInt8 = 2

    /// The accounts of the showings.
    package var accounts: Set<UInt32> {
        var accounts: Set<UInt32> = []
        for place in places { accounts.insert(place.uid) }
        return accounts
    }

    /// - Parameter number: 0 for the app, 1 the locale, 2 the surface, 3 the zone, 4 the variant.
    func text(_ number: Int, of place: Place) -> String? {
        withBytes(place.texts) { texts in
            var cursor = ByteCursor(texts)
            for _ in 0..<number { _ = cursor.text() }
            return cursor.text().map { $0.text }
        }
    }

    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
    }
}

extension ShowingTally {
    /// Nil for bytes that are not a tally.
    package init?(_ packed: UnsafeBufferPointer<UInt8>) {
        bytes = Array(packed)
        var cursor = ByteCursor(packed)
        guard cursor.byte() == Self.version else { return nil }
        let counts = [cursor.length(), cursor.length(), cursor.length()]
        guard counts.allSatisfy({ 0...Self.mostRows ~= $0 }) else { return nil }
        for _ in 0..<counts[0] {
            let kind = cursor.take(cursor.length())
            guard ShowingKind.isKind(kind) else { return nil }
            kinds.append(Array(kind))
        }
        for _ in 0..<counts[1] {
            let uid = UInt32(truncatingIfNeeded: cursor.varint())
            let start = cursor.place
            for _ in 0..<5 { _ = cursor.text() }
            places.append(Place(uid: uid, texts: start..<cursor.place))
        }
        rows.reserveCapacity(counts[2])
        var time: Int64 = 0
        for _ in 0..<counts[2] {
            let (kind, place) = (cursor.length(), cursor.length())
            time &+= cursor.zigzag()
            let took = cursor.byte() == 0 ? nil : cursor.zigzag()
            let person = cursor.littleEndian()
            let count = cursor.length()
            let start = cursor.place
            _ = cursor.take(count)
            guard kinds.indices.contains(kind), places.indices.contains(place) else { return nil }
            rows.append(
                Row(
                    kind: kind, place: place, time: Timestamp(milliseconds: time), took: took,
                    person: person == 0 ? nil : person, texts: start..<cursor.place))
        }
        guard !cursor.isDamaged, cursor.isAtEnd else { return nil }
    }

    /// Collects showings and packs them.
    package struct Builder {
        private var kinds: [[UInt8]: Int] = [:]
        private var places: [[UInt8]: Int] = [:]
        private var kindBytes: [UInt8] = []
        private var placeBytes: [UInt8] = []
        private var rowBytes: [UInt8] = []
        private var count = 0
        private var last: Int64 = 0

        package init() {}

        package var isEmpty: Bool { count == 0 }
        package var isFull: Bool {
            count >= ShowingTally.mostRows
                || kindBytes.count + placeBytes.count + rowBytes.count >= ShowingTally.mostBytes
        }

        /// - Returns: false for a row that cannot be read.
        package mutating func add(_ row: ShowingRow) -> Bool {
            var key: [UInt8] = []
            guard let told = row.appendKind(to: &key) else { return false }
            var place: [UInt8] = []
            place.appendVarint(UInt64(row.uid))
            for text in [row.app, row.locale, told.surface, told.zone, told.variant] { place.appendText(text) }
            rowBytes.appendVarint(UInt64(Self.number(of: key, in: &kinds) { kindBytes.appendCounted(key) }))
            rowBytes.appendVarint(UInt64(Self.number(of: place, in: &places) { placeBytes += place }))
            let time = row.time(told).milliseconds
            rowBytes.appendZigzag(time &- last)
            if let took = row.took {
                rowBytes.append(1)
                rowBytes.appendZigzag(took)
            } else {
                rowBytes.append(0)
            }
            rowBytes.appendLittleEndian(row.person ?? 0)
            rowBytes.appendCounted(row.took == nil ? [] : row.texts)
            (count, last) = (count + 1, time)
            return true
        }

        private static func number(of key: [UInt8], in known: inout [[UInt8]: Int], _ onNew: () -> Void) -> Int {
            if let number = known[key] { return number }
            let number = known.count
            known[key] = number
            onNew()
            return number
        }

        package var packed: [UInt8] {
            var bytes = [ShowingTally.version]
            for number in [kinds.count, places.count, count] { bytes.appendVarint(UInt64(number)) }
            return bytes + kindBytes + placeBytes + rowBytes
        }
    }
}

// A text is its length plus one, followed by its bytes; 0 means none.
extension [UInt8] {
    fileprivate mutating func appendText(_ text: UnsafeBufferPointer<UInt8>?) {
        appendVarint(text.map { UInt64($0.count) + 1 } ?? 0)
        if let text { append(contentsOf: text) }
    }

    fileprivate mutating func appendCounted(_ bytes: [UInt8]) {
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}

extension ByteCursor {
    fileprivate mutating func text() -> UnsafeBufferPointer<UInt8>? {
        let length = varint()
        return length == 0 ? nil : take(Int(truncatingIfNeeded: length &- 1))
    }
}
