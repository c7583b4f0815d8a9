/// Copies many records that are read in place.
///
/// Their properties are in a pool, and consecutive records with the same name share that text.
package struct RecordCopies {
    private var records: [Record] = []
    private let pool = PropertyPool()
    private var name = ""

    /// - Parameter capacity: the expected number of records.
    package init(reservingCapacity capacity: Int = 0) { records.reserveCapacity(capacity) }

    package mutating func append(_ view: RecordView, of session: SessionIdentity) {
        if !name.hasSameBytes(as: view.name) { name = String(decoding: view.name, as: UTF8.self) }
        records.append(
            Record(
                sequence: view.sequence, id: view.id, at: view.at, kind: view.kind, session: session, name: name,
                source: view.source, properties: pool.copy(view.properties), origin: view.origin))
    }

    /// Returns the copies and starts over.
    package mutating func take() -> [Record] {
        // A swap avoids a copy that reading the property could cause.
        var taken: [Record] = []
        swap(&taken, &records)
        return taken
    }
}
