package import HarkWire

/// Packs the records of one session out of one commit into a run of bytes, the unit in which the store keeps them.
///
/// Why blocks: a row a record costs SQLite 2–5 µs each; a row a hundred records costs a copy. The format:
/// a version byte, the time of the first record (zigzag varint, ms since 1970), then each record as
/// sequence (varint, less the one before), kind (byte), id (16 bytes), time (zigzag varint, less the one before),
/// uid and pid (varints), name (varint: 0 and then length and UTF-8, or n for the nth name of this block),
/// properties (varint length, packed as `Properties` has them).
///
/// Blocks of sessions of machines are of version 2: behind its pid each record has its number there (zigzag varint, less the
/// one before).
package struct BlockBuilder: Sendable {
    package static let version: UInt8 = 1
    package static let versionWithOrigins: UInt8 = 2
    /// A block is closed when it reaches either bound, so that reading one page of a list stays small.
    package static let maxRecords = 512
    package static let maxBytes = 65_536

    /// A record takes at most so many bytes beside its name and properties: eight numbers, a kind and an id.
    private static let recordBound = 8 * BytePacker.varintBound + 1 + 16

    package let session: SessionIdentity
    package private(set) var bytes: [UInt8]
    package private(set) var count = 0
    package private(set) var events = 0
    package private(set) var firstSequence: UInt64 = 0
    package private(set) var lastSequence: UInt64 = 0
    package private(set) var earliest: Timestamp = .init(milliseconds: .max)
    package private(set) var latest: Timestamp = .init(milliseconds: .min)
    private var previousTime: Int64 = 0
    private let hasOrigins: Bool
    private var previousOrigin: UInt64 = 0
    /// What its records are called, as spelt out in it, and of which kinds those are.
    package private(set) var names: [(name: String, kinds: Record.Kinds)] = []
    /// Where each of them stands, counted from 1, once they are too many to go through.
    private var places: [String: Int] = [:]
    private static let fewNames = 8
    private var lastName: (name: String, place: Int)?

    /// - Parameter expected: how many bytes it will be about, for which it has room from the start.
    package init(session: SessionIdentity, expecting expected: Int = 0) {
        self.session = session
        hasOrigins = session.machine != nil
        bytes = []
        // What the last record may take at most is more than what it takes.
        if expected > 0 { bytes.reserveCapacity(min(expected, BlockBuilder.maxBytes) + 1_024) }
        bytes.append(hasOrigins ? BlockBuilder.versionWithOrigins : BlockBuilder.version)
    }

    var isFull: Bool { count >= BlockBuilder.maxRecords || bytes.count >= BlockBuilder.maxBytes }

    /// Takes records until it is full.
    ///
    /// - Returns: how many it took.
    package mutating func append(_ records: ArraySlice<Record>) -> Int {
        records.withUnsafeBufferPointer { records in
            guard let start = records.baseAddress else { return 0 }
            var taken = 0
            while taken < records.count, !isFull {
                append(start + taken)
                taken += 1
            }
            return taken
        }
    }

    /// The bytes of a block of these records, however many they are: they were in one before.
    package static func bytes(of records: [Record]) -> [UInt8] {
        guard let first = records.first else { return [] }
        var builder = BlockBuilder(session: first.session)
        records.withUnsafeBufferPointer { records in
            guard let start = records.baseAddress else { return }
            for place in 0..<records.count { builder.append(start + place) }
        }
        return builder.bytes
    }

    /// By its address a record is looked at where it lies; to hand it on would retain all that it holds.
    private mutating func append(_ record: UnsafePointer<Record>) {
        let (sequence, time) = (record.pointee.sequence, record.pointee.at)
        let (kind, id) = (record.pointee.kind, record.pointee.id)
        if count == 0 {
            firstSequence = sequence
            previousTime = time.milliseconds
            bytes.appendZigzag(previousTime)
        }
        let gap = sequence - (count == 0 ? 0 : lastSequence)
        let since = time.milliseconds - previousTime
        let (source, origin) = (record.pointee.source, record.pointee.origin)
        let place = place(of: record.pointee.name, as: Record.Kinds(kind))
        let spelt = place == nil ? Array(record.pointee.name.utf8) : []
        record.pointee.properties.withBytes { properties in
            // All at once: whether there is room is looked up once for it.
            bytes.append(upTo: BlockBuilder.recordBound + spelt.count + properties.count) { packer in
                packer.append(varint: gap)
                packer.append(kind.rawValue)
                packer.append(bigEndian: id.high)
                packer.append(bigEndian: id.low)
                packer.append(varint: ByteCursor.zigzag(of: since))
                packer.append(varint: UInt64(source.uid))
                packer.append(varint: UInt64(UInt32(bitPattern: source.pid)))
                if hasOrigins {
                    packer.append(varint: ByteCursor.zigzag(of: Int64(bitPattern: origin &- previousOrigin)))
                }
                packer.append(varint: UInt64(place ?? 0))
                if place == nil {
                    packer.append(varint: UInt64(spelt.count))
                    spelt.withUnsafeBufferPointer { packer.append($0) }
                }
                packer.append(varint: UInt64(properties.count))
                packer.append(properties)
            }
        }
        if hasOrigins { previousOrigin = origin }
        previousTime = time.milliseconds
        lastSequence = sequence
        // By their numbers: `min` and `max` would ask the type how to compare, for each record.
        if time.milliseconds < earliest.milliseconds { earliest = time }
        if time.milliseconds > latest.milliseconds { latest = time }
        count += 1
        if case .event = kind { events += 1 }
    }

    /// Where the name of a record stands among those of the block; nil for one that is to be spelt out, as it was not yet.
    private mutating func place(of name: String, as kind: Record.Kinds) -> Int? {
        if let lastName, lastName.name.hasSameBytes(as: name) {
            note(kind, at: lastName.place)
            return lastName.place
        }
        if let place = place(of: name) {
            lastName = (name, place)
            note(kind, at: place)
            return place
        }
        names.append((name, kind))
        if names.count > BlockBuilder.fewNames {
            for place in (places.isEmpty ? 1 : names.count)...names.count {
                let name = names[place - 1].name
                // A name that is equal but has other bytes gives way; it is spelt out again should it come back.
                places[name] = nil
                places[name] = place
            }
        }
        lastName = (name, names.count)
        return nil
    }

    private func place(of name: String) -> Int? {
        guard names.count > BlockBuilder.fewNames else {
            return names.firstIndex { $0.name.hasSameBytes(as: name) }.map { $0 + 1 }
        }
        guard let entry = places.index(forKey: name), places[entry].key.hasSameBytes(as: name) else { return nil }
        return places[entry].value
    }

    private mutating func note(_ kind: Record.Kinds, at place: Int) {
        if !names[place - 1].kinds.isSuperset(of: kind) { names[place - 1].kinds.formUnion(kind) }
    }
}

/// Reads the records of a block in order.
package struct BlockReader {
    private var cursor: ByteCursor
    private var names: [UnsafeBufferPointer<UInt8>] = []
    private var sequence: UInt64 = 0
    private var time: Int64
    private let hasOrigins: Bool
    private var origin: UInt64 = 0

    /// - Returns: nil when the bytes are not a block of a version this program knows.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        cursor = ByteCursor(bytes)
        let version = cursor.byte()
        guard version == BlockBuilder.version || version == BlockBuilder.versionWithOrigins else { return nil }
        hasOrigins = version == BlockBuilder.versionWithOrigins
        time = cursor.zigzag()
    }

    /// The next record, or nil at the end. Damage ends the block early and shows in `isDamaged`.
    package mutating func next() -> RecordView? {
        guard !cursor.isAtEnd else { return nil }
        let (sequence, overflow) = sequence.addingReportingOverflow(cursor.varint())
        self.sequence = sequence
        let kind = Record.Kind(rawValue: cursor.byte())
        let id = Identifier(raw: cursor.take(16))
        time &+= cursor.zigzag()
        let uid = UInt32(truncatingIfNeeded: cursor.varint())
        let pid = Int32(truncatingIfNeeded: cursor.varint())
        if hasOrigins { origin &+= UInt64(bitPattern: cursor.zigzag()) }
        let reference = cursor.length()
        let name: UnsafeBufferPointer<UInt8>
        if reference == 0 {
            name = cursor.take(cursor.length())
            names.append(name)
        } else if reference > 0, reference <= names.count {
            name = names[reference - 1]
        } else {
            cursor.fail()
            return nil
        }
        let properties = cursor.take(cursor.length())
        guard !cursor.isDamaged, !overflow, origin <= Record.largestOrigin, let kind, let id else {
            cursor.fail()
            return nil
        }
        return RecordView(
            sequence: sequence, id: id, at: Timestamp(milliseconds: time), kind: kind, name: name,
            source: Source(uid: uid, pid: pid), properties: properties, origin: origin)
    }

    package var isDamaged: Bool { cursor.isDamaged }

    /// A session that stands for the one of the block, of which no more is known than the row.
    package func standIn(row: Int64) -> SessionIdentity {
        let none = Identifier(high: 0, low: 0)
        let machine = hasOrigins ? MachineIdentity(row: 0, name: "", group: nil, log: none) : nil
        return SessionIdentity(
            row: row, id: none, scope: Scope(uid: 0), userId: nil, startedAt: .earliest, metadata: .none,
            isImplicit: false,
            machine: machine)
    }
}
