internal import HarkCore
internal import HarkWire

/// A record as a row of a sink: its identity, which is the same on every machine and hub, and its data. The members are the
/// columns of databases and are written for each record, by hand.
struct SinkRow {
    let record: Record
    let log: SinkLog

    var session: SessionIdentity { record.session }
    var machine: MachineIdentity? { session.machine }
    /// The id of its log. A machine's record keeps the id of the machine's log everywhere.
    var logId: Identifier { machine?.log ?? log.id(of: record.sequence) }
    var sequence: UInt64 { machine == nil ? record.sequence : record.origin }
    var sessionId: Identifier { session.machineSession ?? session.id }
    /// The user; for a log entry, the entry's own user if it has one.
    var userId: String? { entry?.userId ?? session.userId }
    var uid: UInt32 { session.machineUID ?? session.scope.uid }
    let entry: LogEntry?

    init(_ record: Record, _ log: SinkLog) {
        self.record = record
        self.log = log
        entry = LogEntry(record)
    }

    /// Writes the properties of an event, the metadata of a session, or the message and metadata of a log entry.
    func writeProperties(to json: inout JSONWriter) {
        if let entry {
            json.beginObject()
            json.key("message")
            json.string(entry.message)
            json.key("metadata")
            entry.metadata.write(to: &json)
            json.endObject()
        } else if record.kind == .sessionStarted {
            session.metadata.write(to: &json)
        } else {
            record.properties.write(to: &json)
        }
    }

    /// The form of an object.
    enum Manner {
        /// With `properties` as an object.
        case plain
        /// For an engine with columns: `properties` as a text, and the time both in the engine's type and exactly.
        case columns
    }

    /// Begins an object of all members, to which more may be added.
    func write(to json: inout JSONWriter, as manner: Manner) {
        json.beginObject()
        json.key("log")
        json.identifier(logId)
        json.key("seq")
        json.uint(sequence)
        json.key("id")
        json.identifier(record.id)
        json.key("kind")
        json.string(RecordJSON.word(for: record.kind))
        json.key("name")
        json.string(record.name)
        json.key("timestamp")
        switch manner {
        case .plain: json.timestamp(record.at)
        case .columns:
            json.timestamp(min(max(record.at, Self.earliest), Self.latest))
            json.key("milliseconds")
            json.int(Int(record.at.milliseconds))
        }
        json.key("sessionId")
        json.identifier(sessionId)
        json.key("userId")
        if let userId { json.string(userId) } else { json.null() }
        json.key("app")
        json.string(session.scope.app)
        json.key("uid")
        json.uint(UInt64(uid))
        json.key("machine")
        if let machine { json.string(machine.name) } else { json.null() }
        json.key("group")
        if let group = machine?.group { json.string(group) } else { json.null() }
        json.key("sourceUid")
        json.uint(UInt64(record.source.uid))
        json.key("sourcePid")
        json.int(Int(record.source.pid))
        json.key("properties")
        switch manner {
        case .plain: writeProperties(to: &json)
        case .columns:
            var inner = JSONWriter()
            writeProperties(to: &inner)
            json.string(String(decoding: inner.bytes, as: UTF8.self))
        }
    }

    // The years 1900 and 2299.
    private static let earliest = Timestamp(milliseconds: -2_208_988_800_000)
    private static let latest = Timestamp(milliseconds: 10_413_791_999_999)

    /// A batch as lines of JSON.
    static func lines(_ batch: SinkBatch) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: batch.records.count * 512)
        for record in batch.records {
            SinkRow(record, batch.log).write(to: &json, as: .plain)
            json.endObject()
            json.newline()
        }
        return json.bytes
    }
}
