internal import HarkCore
internal import HarkWire

/// Writes records like `RecordJSON`. The beginning of an event's object is the same for a session, and is reused for
/// consecutive events.
struct RecordItems {
    private var session: SessionIdentity?
    private var head: [UInt8] = []

    /// - Parameters:
    ///   - end: Writes the text after each record.
    static func write(_ records: ArraySlice<Record>, to json: inout JSONWriter, _ end: (inout JSONWriter) -> Void) {
        var items = RecordItems()
        records.inPlace { places in
            for place in 0..<places.count {
                if places.kind(place) == .event {
                    items.write(eventAt: place, of: places, to: &json)
                } else {
                    RecordJSON.write(records[records.startIndex + place], to: &json)
                }
                end(&json)
            }
        }
    }

    private mutating func write(eventAt place: Int, of records: RecordsInPlace, to json: inout JSONWriter) {
        if session?.row != records.sessionRow(place) { begin(records.session(place)) }
        guard let session else { return }
        head.withUnsafeBufferPointer { json.raw($0) }
        records.view(place) { $0.write(of: session, to: &json) }
        json.endObject()
    }

    private mutating func begin(_ session: SessionIdentity) {
        var json = JSONWriter()
        RecordJSON.beginEvent(of: session, to: &json)
        (self.session, head) = (session, json.bytes)
    }
}
