internal import HarkCore
internal import HarkWire

/// Records in the binary format of COPY: nothing needs escaping here or parsing there.
struct PostgresRows {
    static let columns = """
        log, seq, id, kind, name, at, session, user_id, app, uid, machine, machine_group, source_uid, source_pid, properties
        """
    private static let columnCount = 15
    /// 2000-01-01, the zero of PostgreSQL's times.
    private static let epoch: Int64 = 946_684_800_000

    private var bytes: [UInt8] = []
    private var json = JSONWriter(reservingCapacity: 4_096)

    static func encode(_ records: ArraySlice<Record>, _ log: SinkLog) -> [UInt8] {
        var rows = PostgresRows()
        rows.bytes.reserveCapacity(64 + records.count * 320)
        rows.bytes += "PGCOPY\n".utf8
        rows.bytes += [0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
        for record in records { rows.append(SinkRow(record, log)) }
        rows.number(Int16(-1))
        return rows.bytes
    }

    private mutating func append(_ row: SinkRow) {
        let record = row.record
        number(Int16(Self.columnCount))
        identifier(row.logId)
        integer(Int64(clamping: row.sequence))
        identifier(record.id)
        text(RecordJSON.word(for: record.kind))
        text(record.name)
        integer((record.at.milliseconds - Self.epoch) * 1_000)
        identifier(row.sessionId)
        text(row.userId)
        text(row.session.scope.app)
        integer(Int64(row.uid))
        text(row.machine?.name)
        text(row.machine?.group)
        integer(Int64(record.source.uid))
        number(Int32(4))
        number(record.source.pid)
        json.bytes.removeAll(keepingCapacity: true)
        row.writeProperties(to: &json)
        number(Int32(clamping: json.bytes.count))
        bytes += json.bytes
    }

    private mutating func number(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func integer(_ value: Int64) {
        number(Int32(8))
        number(value)
    }

    private mutating func identifier(_ id: Identifier) {
        number(Int32(16))
        number(id.high)
        number(id.low)
    }

    /// U+0000 becomes U+FFFD, because texts of PostgreSQL cannot contain it.
    private mutating func text(_ value: String?) {
        guard var value else { return number(Int32(-1)) }
        let hasNull = value.withUTF8 { utf8 -> Bool in
            guard !utf8.contains(0) else { return true }
            number(Int32(clamping: utf8.count))
            bytes.append(contentsOf: utf8)
            return false
        }
        guard hasNull else { return }
        let replaced = String(value.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : Character($0) })
        number(Int32(clamping: replaced.utf8.count))
        bytes += replaced.utf8
    }
}
