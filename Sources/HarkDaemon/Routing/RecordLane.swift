import HarkCore
import HarkSystem
import HarkWire

/// `event.record` read straight from the line: the one method that comes a hundred thousand times a second.
///
/// It does what the router does for the others — types, unknown members, errors with paths — without the values in
/// between. What it takes is declared in `RecordParameter`.
@DaemonActor
final class RecordLane {
    private let ledger: Ledger
    private let names = RecordLane.names
    private static let names = Names()
    private let pool = PropertyPool()

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    /// Whether this is the method of a request.
    func isMeant(by method: UnsafeBufferPointer<UInt8>) -> Bool { names.method[method] != nil }

    func take(_ request: Request, from connection: Connection) throws(WireError) {
        let order = try Order(request, names, pool)
        let peer = connection.peer
        let scope = Scope(uid: peer.uid, app: order.app)
        let source = Source(uid: peer.uid, pid: peer.credentials.pid)
        try ledger.prepare(recording: order.name, in: scope, userId: order.userId)
        let send = order.producer.map { ProducerSend(Producer($0.id, in: scope), number: $0.seq) }
        let receipt: Decided<Receipt>
        do throws(WireError) {
            receipt = try ledger.decideOnce(send) { engine, changes, now throws(WireError) in
                try engine.record(
                    order.name, properties: order.properties, in: scope, userId: order.userId,
                    timestamp: order.timestamp, source: source, now: now, into: &changes)
            }
        } catch {
            throw error.inParams
        }
        guard let id = request.id else {
            ledger.noteUnanswered()
            return
        }
        let isKnown = order.unknown.isEmpty && request.unknown.isEmpty
        let warnings = isKnown ? [] : order.unknown.warnings + request.unknown.warnings
        let isNumbered = send != nil
        receipt.hold(on: connection) { receipt, json in
            Envelope.beginResult(id, in: &json)
            json.beginObject()
            receipt.write(isNumbered: isNumbered, to: &json)
            if !warnings.isEmpty { Router.write(warnings, in: &json) }
            json.endObject()
            Envelope.end(&json)
        }
    }

    /// What it finds by the bytes of a line.
    private struct Names {
        enum Producer {
            case id, seq
        }

        let method = NameTable([(MethodShape.eventRecord.name, true)])
        let parameters = NameTable(RecordParameter.allCases.map { ($0.shape.name, $0) })
        let producer = NameTable([
            (Parameter<String>.producerId.name, Producer.id), (Parameter<Int64>.producerSeq.name, .seq),
        ])
    }

    private struct Order: ~Copyable {
        var name = ""
        var app = Scope.defaultApp
        var userId: String?
        var timestamp: Timestamp?
        var producer: (id: String, seq: Int64)?
        var properties = Properties.none
        var unknown = UnknownMembers()

        init(_ request: Request, _ names: Names, _ pool: PropertyPool) throws(WireError) {
            var hasName = false
            if let members = request.params?.members {
                for member in members {
                    guard let parameter = names.parameters[member.key] else {
                        unknown.add(member.key)
                        continue
                    }
                    let value = member.value
                    // Null is as good as nothing, here as for every method.
                    if value.isNull { continue }
                    switch parameter {
                    case .name:
                        guard let text = value.string else { throw Params.wrong(.newEvent) }
                        name = text
                        hasName = true
                    case .properties: properties = try value.properties(in: pool)
                    case .app:
                        guard let text = value.string else { throw Params.wrong(.app) }
                        app = text
                    case .userId:
                        guard let text = value.string else { throw Params.wrong(.userOfEvent) }
                        userId = text
                    case .timestamp:
                        guard let time = value.utf8.flatMap({ Timestamp(utf8: $0) }) else {
                            throw Params.wrong(.timestamp)
                        }
                        timestamp = time
                    case .producer: producer = try Order.producer(value, names, &unknown)
                    }
                }
            }
            guard hasName else { throw Params.missing(.newEvent) }
        }

        private static func producer(
            _ node: JSONNode, _ names: Names, _ unknown: inout UnknownMembers
        ) throws(WireError) -> (id: String, seq: Int64) {
            guard let members = node.members else { throw Params.wrong(.producer) }
            var (id, seq): (String?, Int64?)
            for member in members {
                switch names.producer[member.key] {
                case .id: id = member.value.string
                case .seq: seq = member.value.int
                case nil: unknown.add(member.key)
                }
            }
            if let id, let seq, seq > 0 { return (id, seq) }
            // Written in another way, or wrong.
            return try ProducerSend.read(node.toValue().objectValue ?? JSONObject())
        }
    }
}

extension JSONNode {
    /// The properties of an event, from where they lie.
    func properties(in pool: PropertyPool) throws(WireError) -> Properties {
        guard let members else { throw Params.wrong(.properties) }
        return try pool.pack {
            members.reduce(0) { $0 + $1.key.count + ($1.value.utf8?.count ?? 0) + Properties.memberOverhead }
        } _: { packer throws(WireError) in
            for member in members {
                let key = member.key
                if key.count > Limits.propertyKeyBytes {
                    try PropertyRules.check(keyLength: key.count, path: JSONNode.path(key))
                }
                let text = member.value.utf8
                guard packer.hasRoom(key: key, text: text?.count ?? 0) else { return false }
                if let text {
                    packer.append(key: key, string: text)
                } else if let number = member.value.int {
                    packer.append(key: key, integer: number)
                } else if let flag = member.value.bool {
                    packer.append(key: key, bool: flag)
                } else if let number = member.value.double {
                    packer.append(key: key, double: number)
                } else {
                    throw PropertyRules.notPrimitive(
                        String(decoding: key, as: UTF8.self), path: JSONNode.path(key))
                }
            }
            return true
        }
    }

    private static func path(_ key: UnsafeBufferPointer<UInt8>) -> String {
        "\(Params.path(.properties)).\(String(decoding: key, as: UTF8.self))"
    }
}

extension WireError {
    /// The engine names the member at fault; here it gets its place in the request.
    var inParams: WireError {
        WireError(reason, message, path: path.map(Params.path))
    }
}
