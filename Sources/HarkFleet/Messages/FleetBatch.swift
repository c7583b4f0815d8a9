package import HarkWire

/// The header line of a batch: which records it has, and where they belong. The lines after it are the records.
package struct FleetBatch: FleetMessage {
    package let machine: String
    package let group: String?
    package let log: Identifier
    /// The previous record for the hub: no other record to be sent lies in between. Nil: there is none.
    package let after: FleetAcknowledgement.Mark?
    package let first: UInt64
    /// The last record.
    package let last: FleetAcknowledgement.Mark
    package let count: Int
    /// The records that wait at the machine behind these; nil if unknown.
    package var pending: UInt64?

    /// The maximum number of records.
    package static let mostRecords = 4_096
    /// The maximum number of bytes before compression.
    package static let mostBytes = 16 << 20

    package init(
        machine: String, group: String?, log: Identifier, after: FleetAcknowledgement.Mark?, first: UInt64,
        last: FleetAcknowledgement.Mark, count: Int, pending: UInt64? = nil
    ) {
        self.machine = machine
        self.group = group
        self.log = log
        self.after = after
        self.first = first
        self.last = last
        self.count = count
        self.pending = pending
    }

    package init?(_ members: JSONObject) {
        guard let machine = members.name("machine"), let log = members.identifier("log"),
            let after = FleetAcknowledgement.Mark.read(members, "after", "afterId"),
            let first = members.number("first"),
            let last = members.number("last"), let lastId = members.identifier("lastId"),
            let count = members.number("count"), (1...UInt64(FleetBatch.mostRecords)).contains(count),
            after.mark?.sequence ?? 0 < first, first <= last, last - first >= count - 1, last <= UInt64(Int64.max)
        else { return nil }
        self.init(
            machine: machine, group: members.name("group"), log: log, after: after.mark, first: first,
            last: FleetAcknowledgement.Mark(sequence: last, id: lastId), count: Int(count),
            pending: members.number("pending"))
    }

    package func write(to json: inout JSONWriter) {
        json.member("machine", machine)
        if let group { json.member("group", group) }
        json.member("log", log)
        json.member("after", after?.sequence ?? 0)
        if let after { json.member("afterId", after.id) }
        json.member("first", first)
        json.member("last", last.sequence)
        json.member("lastId", last.id)
        json.member("count", UInt64(count))
        if let pending { json.member("pending", pending) }
    }
}
