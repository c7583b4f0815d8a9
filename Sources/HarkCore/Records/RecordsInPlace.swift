package import HarkWire

/// Many records, looked at where they lie. A copy of each, as a loop over an array makes it, would count the references to its
/// session and properties, which costs more than the look, above all while another thread counts those of the same session.
package struct RecordsInPlace {
    private let records: UnsafeBufferPointer<Record>

    fileprivate init(_ records: UnsafeBufferPointer<Record>) { self.records = records }

    package var count: Int { records.count }
    package func sequence(_ place: Int) -> UInt64 { records[place].sequence }
    package func kind(_ place: Int) -> Record.Kind { records[place].kind }
    package func at(_ place: Int) -> Timestamp { records[place].at }
    package func sessionRow(_ place: Int) -> Int64 { records[place].session.row }
    package func session(_ place: Int) -> SessionIdentity { records[place].session }
    /// About so many bytes of memory.
    package func weight(_ place: Int) -> Int {
        records[place].properties.byteCount + records[place].name.utf8.count + 128
    }

    /// Writes those of the events of a session in a range of places that lie behind a number as a line each.
    /// - Parameter known: are passed over.
    /// - Returns: the number of the last, or that number if there is none.
    package func writeLines(
        _ places: Range<Int>, behind last: UInt64, of session: SessionIdentity, except known: Set<Identifier>,
        to json: inout JSONWriter
    ) -> UInt64 {
        var newest = last
        for place in places where records[place].kind == .event && records[place].sequence > last {
            newest = records[place].sequence
            if !known.isEmpty, known.contains(records[place].id) { continue }
            view(place) { $0.write(of: session, to: &json) }
            json.newline()
        }
        return newest
    }

    /// A record whose session is another object with the same content.
    package func copy(_ place: Int, of session: SessionIdentity) -> Record {
        Record(
            sequence: records[place].sequence, id: records[place].id, at: records[place].at, kind: records[place].kind,
            session: session, name: records[place].name, source: records[place].source,
            properties: records[place].properties, origin: records[place].origin)
    }

    package func view(_ place: Int, _ body: (RecordView) -> Void) {
        var name = records[place].name
        name.withUTF8 { name in
            records[place].properties.withBytes { properties in
                body(
                    RecordView(
                        sequence: records[place].sequence, id: records[place].id, at: records[place].at,
                        kind: records[place].kind, name: name, source: records[place].source, properties: properties,
                        origin: records[place].origin))
            }
        }
    }
}

extension ArraySlice<Record> {
    /// Shows them where they lie, by their places from 0 on, for the length of the call.
    package func inPlace<Result, Failure: Error>(
        _ body: (RecordsInPlace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { records throws(Failure) in try body(RecordsInPlace(records)) }
    }

    /// What they take as JSON, about: room for it is best had at once.
    package var aboutJSONBytes: Int {
        inPlace { records in (0..<records.count).reduce(256) { $0 + records.weight($1) * 3 / 2 } }
    }

    package var sequences: [UInt64] { inPlace { records in (0..<records.count).map { records.sequence($0) } } }
}
