package import HarkCore
internal import HarkWire

/// One log entry a request, as SensorCore's `POST /api/logs` takes it.
///
/// An event goes as an entry of level `info` whose content is its name and whose metadata are its properties. Where there
/// are none, there is no `metadata`.
package struct SensorCoreEncoder: RecordEncoder {
    package let contentType = "application/json"
    /// Whom entries are about that are about nobody in particular.
    private let anonymousId: @Sendable () -> String?

    /// - Parameter anonymousId: asked at each request; nil while there is none, and then nothing is sent.
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
