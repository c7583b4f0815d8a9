package import HarkCore
package import HarkWire

/// Encodes records as OpenTelemetry logs over HTTP, in the JSON mapping of its protocol buffers (OTLP 1.5,
/// `opentelemetry/proto/collector/logs/v1`).
///
/// Each app is a resource (`service.name`). A log entry is a log record with its message as body; an event has an event
/// name. Attributes follow OpenTelemetry's conventions where these exist: `user.id`, `session.id`, `log.record.uid`;
/// others begin with `hark.`. The format is OpenTelemetry's and is no object of the protocol, so it is written by hand.
package struct OTLPEncoder: RecordEncoder {
    package let contentType = "application/json"
    package let readsAnswers = true
    /// The name of this machine.
    package let host: String
    package let version: String

    package init(host: String, version: String) {
        self.host = host
        self.version = version
    }

    package func body(of records: ArraySlice<Record>) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: records.count * 512)
        json.beginObject()
        json.key("resourceLogs")
        json.beginArray()
        var rest = records
        // Consecutive records of one app form a resource; alternating apps repeat it, and the order stays.
        while let first = rest.first {
            let run = rest.prefix { $0.session.scope.app.hasSameBytes(as: first.session.scope.app) }
            write(run, app: first.session.scope.app, to: &json)
            rest = rest.dropFirst(run.count)
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    package func outcome(of records: ArraySlice<Record>, answer body: JSONValue?) -> DeliveryOutcome {
        let partial = body?.field("partialSuccess")
        guard let count = partial?.field("rejectedLogRecords")?.wholeNumber, count > 0 else { return .accepted }
        return .partlyRefused(
            Int(min(count, Int64(records.count))),
            reason: partial?.field("errorMessage")?.stringValue ?? "it gave no reason")
    }

    private func write(_ records: ArraySlice<Record>, app: String, to json: inout JSONWriter) {
        json.beginObject()
        json.key("resource")
        json.beginObject()
        json.key("attributes")
        json.beginArray()
        attribute("service.name", app, to: &json)
        attribute("host.name", host, to: &json)
        json.endArray()
        json.endObject()
        json.key("scopeLogs")
        json.beginArray()
        json.beginObject()
        json.key("scope")
        json.beginObject()
        json.key("name")
        json.string("hark")
        json.key("version")
        json.string(version)
        json.endObject()
        json.key("logRecords")
        json.beginArray()
        for record in records { write(record, to: &json) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
    }

    private func write(_ record: Record, to json: inout JSONWriter) {
        let entry = LogEntry(record)
        json.beginObject()
        json.key("timeUnixNano")
        json.string(OTLPEncoder.nanoseconds(record.at))
        json.key("observedTimeUnixNano")
        json.string(OTLPEncoder.nanoseconds(record.receivedAt))
        let (number, text) = OTLPEncoder.severity(entry?.level ?? .info)
        json.key("severityNumber")
        json.int(number)
        json.key("severityText")
        json.string(text)
        if entry == nil {
            json.key("eventName")
            json.string(RecordJSON.title(of: record))
        }
        json.key("body")
        json.beginObject()
        json.key("stringValue")
        json.string(entry?.message ?? RecordJSON.title(of: record))
        json.endObject()
        json.key("attributes")
        json.beginArray()
        attribute("log.record.uid", record.id.description, to: &json)
        attribute("session.id", record.session.id.description, to: &json)
        if let userId = entry?.userId ?? record.session.userId { attribute("user.id", userId, to: &json) }
        begin("hark.seq", to: &json)
        json.key("intValue")
        json.string("\(record.sequence)")
        end(&json)
        write(entry?.metadata ?? record.properties, to: &json)
        json.endArray()
        json.endObject()
    }

    /// Unsigned 64-bit nanoseconds since 1970: earlier times, and those after the year 2554, are clamped.
    private static func nanoseconds(_ time: Timestamp) -> String {
        let (nanoseconds, overflow) = UInt64(max(0, time.milliseconds)).multipliedReportingOverflow(by: 1_000_000)
        return "\(overflow ? .max : nanoseconds)"
    }

    /// OpenTelemetry's severity numbers; messages to users count as information.
    private static func severity(_ level: LogEntry.Level) -> (Int, String) {
        switch level {
        case .info, .messages: (9, level.rawValue)
        case .warning: (13, level.rawValue)
        case .error: (17, level.rawValue)
        }
    }

    /// The attributes of every record. Attributes must be unique, so a property with such a name is renamed.
    private static let ours = ["log.record.uid", "session.id", "user.id", "hark.seq"].map { Array($0.utf8) }

    private func write(_ properties: Properties, to json: inout JSONWriter) {
        properties.forEachMember { member in
            json.beginObject()
            json.key("key")
            if OTLPEncoder.ours.contains(where: { member.key.elementsEqual($0) }) {
                json.string("hark.property.\(String(decoding: member.key, as: UTF8.self))")
            } else {
                json.string(utf8: member.key)
            }
            json.key("value")
            json.beginObject()
            switch member.value {
            case .string(let text):
                json.key("stringValue")
                json.string(utf8: text)
            case .integer(let number):
                json.key("intValue")
                json.string("\(number)")
            case .double(let number):
                json.key("doubleValue")
                json.double(number)
            case .bool(let flag):
                json.key("boolValue")
                json.bool(flag)
            }
            end(&json)
        }
    }

    private func attribute(_ key: String, _ text: String, to json: inout JSONWriter) {
        begin(key, to: &json)
        json.key("stringValue")
        json.string(text)
        end(&json)
    }

    private func begin(_ key: String, to json: inout JSONWriter) {
        json.beginObject()
        json.key("key")
        json.string(key)
        json.key("value")
        json.beginObject()
    }

    private func end(_ json: inout JSONWriter) {
        json.endObject()
        json.endObject()
    }
}
