package import HarkCore
package import HarkLedger
package import HarkSystem
package import HarkWire

/// Decides on events of an export.
@DaemonActor
package protocol EventImporter: AnyObject {
    /// Decides on an event synchronously, without error messages.
    ///
    /// - Returns: Its record, or nothing if it was known; nil, and nothing was done, if the method must handle it.
    func takeAtOnce(_ event: ExportedEvent, of sessionId: Identifier, from peer: Peer) -> Decided<Recorded?>?
}

/// Reads `event.import` straight from the line if nothing must be looked up: exports have millions of events.
///
/// Wrong or unusual requests are left to the method's handler, which has the error messages.
@DaemonActor
final class ImportLane {
    private let importer: any EventImporter
    private let ledger: Ledger
    private let names = ImportLane.names
    private static let names = Names()

    init(_ importer: any EventImporter, _ ledger: Ledger) {
        self.importer = importer
        self.ledger = ledger
    }

    /// - Returns: False, without any effect, if the request is for another method or needs the handler.
    func take(_ request: Request, from connection: ClientConnection) -> Bool {
        guard names.method[request.method] != nil, request.unknown.isEmpty,
            let (session, event) = names.read(request)
        else { return false }
        guard connection.importsAhead == 0,
            let decided = importer.takeAtOnce(event, of: session, from: connection.peer)
        else {
            connection.importsAhead += 1
            return false
        }
        guard let id = request.id else {
            ledger.noteUnanswered()
            return true
        }
        decided.hold(on: connection) { recorded, json in
            Envelope.beginResult(id, in: &json)
            json.beginObject()
            event.writeResult(recorded, to: &json)
            json.endObject()
            Envelope.end(&json)
        }
        return true
    }

    /// The names that are found by the bytes of a line.
    private struct Names {
        enum Given {
            case session, event
        }

        enum Member {
            case id, name, timestamp, properties, source
        }

        enum Origin {
            case uid, pid
        }

        let method = NameTable([(EventImport.name, true)])
        let parameters = NameTable([("sessionId", Given.session), ("event", .event)])
        let members = NameTable([
            ("id", Member.id), ("name", .name), ("timestamp", .timestamp), ("properties", .properties),
            ("source", .source),
        ])
        let pool = PropertyPool()
        let origin = NameTable([("uid", Origin.uid), ("pid", .pid)])

        /// The session's id and the event; nil unless the request has the usual form of exports.
        func read(_ request: Request) -> (Identifier, ExportedEvent)? {
            guard let given = request.params?.members else { return nil }
            var session: Identifier?
            var event: ExportedEvent?
            for parameter in given {
                switch parameters[parameter.key] {
                case .session: session = parameter.value.utf8.flatMap { Identifier(utf8: $0) }
                case .event: event = read(event: parameter.value)
                case nil: return nil
                }
            }
            if let session, let event { return (session, event) }
            return nil
        }

        private func read(event node: JSONNode) -> ExportedEvent? {
            guard let given = node.members else { return nil }
            var (id, at): (Identifier?, Timestamp?)
            var name: String?
            var properties = Properties.none
            var source: ExportedEvent.Source?
            for member in given {
                // Null means the same as absence.
                guard let known = members[member.key], !member.value.isNull else { continue }
                switch known {
                case .id: id = member.value.utf8.flatMap { Identifier(utf8: $0) }
                case .name: name = member.value.string
                case .timestamp: at = member.value.utf8.flatMap { Timestamp(utf8: $0) }
                case .properties:
                    guard let read = member.value.wholeProperties(in: pool) else { return nil }
                    properties = read
                case .source:
                    guard let known = read(source: member.value) else { return nil }
                    source = known
                }
            }
            guard let id, let name, let at else { return nil }
            return try? ExportedEvent(id: id, name: name, at: at, properties: properties, source: source)
        }

        private func read(source node: JSONNode) -> ExportedEvent.Source? {
            guard let given = node.members else { return nil }
            var source: ExportedEvent.Source = (nil, nil)
            for member in given where !member.value.isNull {
                switch origin[member.key] {
                case .uid:
                    guard let uid = member.value.int.flatMap(UInt32.init(exactly:)) else { return nil }
                    source.uid = uid
                case .pid:
                    guard let pid = member.value.int.flatMap(Int32.init(exactly:)), pid >= 0 else { return nil }
                    source.pid = pid
                case nil: continue
                }
            }
            return source
        }
    }
}
