package import HarkCore
internal import HarkWire

/// Encodes a batch of JSON objects, one per line or as an array.
package struct WebhookEncoder: RecordEncoder {
    package enum Format: String, Sendable, CaseIterable {
        /// Newline-delimited JSON.
        case lines
        case array
    }

    package let format: Format

    package init(_ format: Format) {
        self.format = format
    }

    package var contentType: String { format == .lines ? "application/x-ndjson" : "application/json" }

    package func body(of records: ArraySlice<Record>) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: records.aboutJSONBytes)
        if format == .array { json.beginArray() }
        RecordItems.write(records, to: &json) { if format == .lines { $0.newline() } }
        if format == .array { json.endArray() }
        return json.bytes
    }
}
