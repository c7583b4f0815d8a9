package import HarkWire

/// Many records, read in place. Copying each, as a loop over an array does, would retain its session and properties;
/// that costs more than reading it, above all while another thread does the same for the same session.
package struct RecordsInPlace {
    private let records: UnsafeBufferPointer<Record>

    fileprivate init(_ records: UnsafeBufferPointer<Record>) { self.records = records }

    package var count: Int { records.count }
    package func sequence(_ place: Int) -> UInt64 { records[place].sequence }
    package func kind(_ place: Int) -> Record.Kind { records[place].kind }
    package func at(_ place: Int) -> Timestamp { records[place].at }
    package func sessionRow(_ place: Int) -> Int64 { records[place].session.row }
    package func session(_ place: Int) -> SessionIdentity { records[place].session }
    /// The approximate size in memory, in bytes.
    package func weight(_ place: Int) -> Int {
        records[place].properties.byteCount + records[place].name.utf8.count + 128
    }

    /// Writes a line for each event of a range whose number is above `last`.
    ///
    /// - Parameter known: ids of events to skip.
    /// - Returns: the number of the last event in the range, or `last` if there is none.
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

    /// A copy of a record with another object, of equal content, as its session.
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
    /// Calls `body` with the records in place, indexed from 0, valid during the call.
    package func inPlace<Result, Failure: Error>(
        _ body: (RecordsInPlace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { records throws(Failure) in try body(RecordsInPlace(records)) }
    }

    /// The approximate size as JSON, in bytes, to reserve at once.
    package var aboutJSONBytes: Int {
        inPlace { records in (0..<records.count).reduce(256) { $0 + records.weight($1) * 3 / 2 } }
    }

    package var sequences: [UInt64] { inPlace { records in (0..<records.count).map { records.sequence($0) } } }
}
