/// Makes copies of records that are looked at in place. Those that follow each other are mostly called the same, and then they
/// share that text.
package struct RecordCopies {
    private var name = ""

    package init() {}

    package mutating func copy(_ view: RecordView, of session: SessionIdentity) -> Record {
        if !name.hasSameBytes(as: view.name) { name = String(decoding: view.name, as: UTF8.self) }
        return Record(
            sequence: view.sequence, id: view.id, at: view.at, kind: view.kind, session: session, name: name,
            source: view.source, properties: Properties(bytes: Array(view.properties)), origin: view.origin)
    }
}
