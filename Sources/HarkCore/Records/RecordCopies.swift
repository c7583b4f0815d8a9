/// Makes copies of many records that are looked at in place.
///
/// Their properties lie in a pool, and those that follow each other are mostly called the same, so they share that text.
package struct RecordCopies {
    private var records: [Record] = []
    private let pool = PropertyPool()
    private var name = ""

    /// - Parameter capacity: about so many records.
    package init(reservingCapacity capacity: Int = 0) { records.reserveCapacity(capacity) }

    package mutating func append(_ view: RecordView, of session: SessionIdentity) {
        if !name.hasSameBytes(as: view.name) { name = String(decoding: view.name, as: UTF8.self) }
        records.append(
            Record(
                sequence: view.sequence, id: view.id, at: view.at, kind: view.kind, session: session, name: name,
                source: view.source, properties: pool.copy(view.properties), origin: view.origin))
    }

    /// Hands out the copies, and begins anew.
    package mutating func take() -> [Record] {
        // What is swapped is not copied, as the value of a variable that others see could be.
        var taken: [Record] = []
        swap(&taken, &records)
        return taken
    }
}
