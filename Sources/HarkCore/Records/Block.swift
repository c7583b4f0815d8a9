package import HarkWire

/// Packs records of one session and one commit into a block, the unit in which the store keeps them.
///
/// Why blocks: a row per record costs SQLite 2–5 µs each; a row per hundred records costs a copy. The format:
/// 1. a version byte and the time of the first record (zigzag varint, ms since 1970);
/// 2. per record: sequence (varint, difference to the one before), kind (byte), id (16 bytes), time (zigzag varint,
///    difference to the one before), uid and pid (varints), name (varint: 0 followed by length and UTF-8, or n for the
///    nth name of this block), properties (varint length, packed as in `Properties`).
///
/// Blocks for sessions of machines have version 2: after the pid follows the record's number on its machine (zigzag
/// varint, difference to the one before).
package struct BlockBuilder: Sendable {
    package static let version: UInt8 = 1
    package static let versionWithOrigins: UInt8 = 2
    /// The limits of a block; reaching either closes it, which keeps reading a page of a list cheap.
    package static let maxRecords = 512
    package static let maxBytes = 65_536

    /// The greatest size of a record without its name and properties, in bytes: eight numbers, a kind and an id.
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
    /// The distinct names of the records, as written in the block, with the kinds that each occurs with.
    package private(set) var names: [(name: String, kinds: Record.Kinds)] = []
    /// The positions of the names, counted from 1; used once there are too many for a linear search.
    private var places: [String: Int] = [:]
    private static let fewNames = 8
    private var lastName: (name: String, place: Int)?

    /// - Parameter expected: the approximate size in bytes, reserved from the start.
    package init(session: SessionIdentity, expecting expected: Int = 0) {
        self.session = session
        hasOrigins = session.machine != nil
        bytes = []
        // Extra room for the last record, because its size is an upper estimate.
        if expected > 0 { bytes.reserveCapacity(min(expected, BlockBuilder.maxBytes) + 1_024) }
        bytes.append(hasOrigins ? BlockBuilder.versionWithOrigins : BlockBuilder.version)
    }

    var isFull: Bool { count >= BlockBuilder.maxRecords || bytes.count >= BlockBuilder.maxBytes }

    /// Appends records until the block is full.
    ///
    /// - Returns: the number of records appended.
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

    /// The bytes of a block with any number of records: they come from one block.
    package static func bytes(of records: [Record]) -> [UInt8] {
        guard let first = records.first else { return [] }
        var builder = BlockBuilder(session: first.session)
        records.withUnsafeBufferPointer { records in
            guard let start = records.baseAddress else { return }
            for place in 0..<records.count { builder.append(start + place) }
        }
        return builder.bytes
    }

    /// Takes an address, so that the record is read in place; passing a copy would retain its contents.
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
            // Written in one piece, so that room is checked once.
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
        // Compares the numbers: `min` and `max` would look up the type's comparison for each record.
        if time.milliseconds < earliest.milliseconds { earliest = time }
        if time.milliseconds > latest.milliseconds { latest = time }
        count += 1
        if case .event = kind { events += 1 }
    }

    /// The position of a record's name in the block; nil for a new name, which must be written out.
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
                // A name that is equal but has other bytes is replaced; it is written out again if it returns.
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

    /// - Returns: nil when the bytes are not a block of a known version.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        cursor = ByteCursor(bytes)
        let version = cursor.byte()
        guard version == BlockBuilder.version || version == BlockBuilder.versionWithOrigins else { return nil }
        hasOrigins = version == BlockBuilder.versionWithOrigins
        time = cursor.zigzag()
    }

    /// The next record, or nil at the end. Damage ends the block early and sets `isDamaged`.
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

    /// A placeholder for the session of the block, when only its row is known.
    package func standIn(row: Int64) -> SessionIdentity {
        let none = Identifier(high: 0, low: 0)
        let machine = hasOrigins ? MachineIdentity(row: 0, name: "", group: nil, log: none) : nil
        return SessionIdentity(
            row: row, id: none, scope: Scope(uid: 0), userId: nil, startedAt: .earliest, metadata: .none,
            isImplicit: false,
            machine: machine)
    }
}
