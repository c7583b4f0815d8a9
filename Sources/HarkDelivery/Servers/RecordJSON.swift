package import HarkCore
package import HarkWire

/// A record as a JSON object with its kind: the item of a webhook's batch. It is written by hand, because there may be many in a
/// batch or a list.
package enum RecordJSON {
    /// The name of a kind of record.
    package static func word(for kind: Record.Kind) -> String {
        let word: RecordWord =
            switch kind {
            case .event: .event
            case .sessionStarted: .sessionStarted
            case .sessionEnded: .sessionEnded
            case .log: .log
            case .form: .form
            case .profile: .profile
            case .presentation: .presentation
            case .clear: .clear
            }
        return word.rawValue
    }

    /// A short title, for servers that require one.
    static func title(of record: Record) -> String {
        record.name.isEmpty ? word(for: record.kind) : record.name
    }

    package static func write(_ record: Record, to json: inout JSONWriter) {
        begin(record.kind, of: record.session, to: &json)
        switch record.kind {
        case .event:
            json.key("event")
            record.withView { $0.write(of: record.session, to: &json) }
        case .sessionStarted, .sessionEnded:
            json.key("seq")
            json.uint(record.sequence)
            json.key("session")
            Session(record.session, endedAt: record.kind == .sessionEnded ? record.at : nil).write(to: &json)
        case .log:
            json.key("log")
            writeLog(record, to: &json)
        case .form: writePlain(record, as: "form", to: &json)
        case .profile: writePlain(record, as: "profile", to: &json)
        case .presentation: writePlain(record, as: "presentation", to: &json)
        case .clear: writePlain(record, as: "clear", to: &json)
        }
        json.endObject()
    }

    /// Writes the beginning of an event's object, which is the same for all events of a session.
    static func beginEvent(of session: SessionIdentity, to json: inout JSONWriter) {
        begin(.event, of: session, to: &json)
        json.key("event")
    }

    private static func begin(_ kind: Record.Kind, of session: SessionIdentity, to json: inout JSONWriter) {
        json.beginObject()
        json.key("kind")
        json.string(word(for: kind))
        json.key("app")
        json.string(session.scope.app)
    }

    /// Writes the entry of a log record, as dead letters and lists also show it.
    /// - Parameter withSource: Whether to include the account and process that logged it.
    package static func writeLog(_ record: Record, withSource: Bool = false, to json: inout JSONWriter) {
        guard let entry = LogEntry(record) else { return writePlain(record, to: &json) }
        json.beginObject()
        writeHead(record, to: &json)
        json.key("level")
        json.string(entry.level.rawValue)
        json.key("message")
        json.string(entry.message)
        json.key("userId")
        json.string(entry.userId)
        json.key("metadata")
        entry.metadata.write(to: &json)
        if withSource {
            json.key("source")
            record.source.write(to: &json)
        }
        writeOrigin(of: record, to: &json)
        json.endObject()
    }

    private static func writePlain(_ record: Record, as key: StaticString, to json: inout JSONWriter) {
        json.key(key)
        writePlain(record, to: &json)
    }

    private static func writePlain(_ record: Record, to json: inout JSONWriter) {
        json.beginObject()
        writeHead(record, to: &json)
        if let userId = record.session.userId {
            json.key("userId")
            json.string(userId)
        }
        if !record.name.isEmpty {
            json.key("name")
            json.string(record.name)
        }
        json.key("properties")
        record.properties.write(to: &json)
        writeOrigin(of: record, to: &json)
        json.endObject()
    }

    private static func writeOrigin(of record: Record, to json: inout JSONWriter) {
        record.session.machine?.writeOrigin(record.origin, to: &json)
    }

    private static func writeHead(_ record: Record, to json: inout JSONWriter) {
        json.key("id")
        json.identifier(record.id)
        json.key("seq")
        json.uint(record.sequence)
        json.key("timestamp")
        json.timestamp(record.at)
        json.key("sessionId")
        json.identifier(record.session.id)
    }
}
