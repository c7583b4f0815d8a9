package import HarkCore
internal import HarkWire

/// Encodes one log entry per request, for SensorCore's `POST /api/logs`.
///
/// An event is sent as an entry of level `info` with its name as content and its properties as metadata. Without
/// properties there is no `metadata`. The format is SensorCore's, so it is written by hand.
package struct SensorCoreEncoder: RecordEncoder {
    package let contentType = "application/json"
    /// The user id of entries that name no user.
    private let anonymousId: @Sendable () -> String?

    /// - Parameter anonymousId: Evaluated for each request; nothing is sent while it is nil.
    package init(anonymousId: @autoclosure @escaping @Sendable () -> String?) {
        self.anonymousId = anonymousId
    }

    package var problem: String? { anonymousId() == nil ? "the id of this device is not on disk yet" : nil }

    package func body(of records: ArraySlice<Record>) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 512)
        for record in records { write(record, to: &json) }
        return json.bytes
    }

    private func write(_ record: Record, to json: inout JSONWriter) {
        let entry = LogEntry(record)
        json.beginObject()
        json.key("content")
        json.string(entry?.message ?? RecordJSON.title(of: record))
        json.key("level")
        json.string((entry?.level ?? .info).rawValue)
        json.key("user_id")
        json.string(entry?.userId ?? record.session.userId ?? anonymousId() ?? "")
        let metadata = entry?.metadata ?? record.properties
        if !metadata.isEmpty {
            json.key("metadata")
            metadata.write(to: &json)
        }
        json.key("created_at")
        json.timestamp(record.at)
        json.endObject()
    }
}
