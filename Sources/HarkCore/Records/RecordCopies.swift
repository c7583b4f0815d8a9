/// Makes copies of many records that are looked at in place.
///
/// Their properties lie one behind the other in a few pieces of memory, which are given back once no record of them is left;
/// and those that follow each other are mostly called the same, so they share that text.
package struct RecordCopies {
    private var records: [Record] = []
    /// What the properties of the last records will lie in.
    private var storage: [UInt8] = []
    /// The first of these.
    private var first = 0
    private var name = ""

    /// A piece of memory is closed when it has so many bytes: a record that is kept keeps no more than that.
    private static let piece = 65_536

    /// - Parameter capacity: about so many records.
    package init(reservingCapacity capacity: Int = 0) { records.reserveCapacity(capacity) }

    package mutating func append(_ view: RecordView, of session: SessionIdentity) {
        if !name.hasSameBytes(as: view.name) { name = String(decoding: view.name, as: UTF8.self) }
        if storage.isEmpty, !records.isEmpty { storage.reserveCapacity(RecordCopies.piece + RecordCopies.piece / 16) }
        let start = storage.count
        storage.append(contentsOf: view.properties)
        records.append(
            Record(
                sequence: view.sequence, id: view.id, at: view.at, kind: view.kind, session: session, name: name,
                source: view.source, properties: Properties(at: start..<storage.count), origin: view.origin))
        if storage.count >= RecordCopies.piece { closePiece() }
    }

    private mutating func closePiece() {
        for place in first..<records.count { records[place].lie(in: storage) }
        first = records.count
        storage = []
    }

    /// Hands out the copies, and begins anew.
    package mutating func take() -> [Record] {
        closePiece()
        first = 0
        // What is swapped is not copied, as the value of a variable that others see could be.
        var taken: [Record] = []
        swap(&taken, &records)
        return taken
    }
}
