import HarkCore
import HarkSystem
import HarkWire

/// `event.record` read straight from the line: the one method that comes a hundred thousand times a second.
///
/// It does what the router does for the others — types, unknown members, errors with paths — without the values in
/// between.
@DaemonActor
final class RecordLane {
    private let ledger: Ledger

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    func take(_ request: Request, from connection: Connection) throws(WireError) {
        let order = try Order(request)
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
        let warnings = order.unknown.warnings + request.unknown.warnings
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

    private struct Order {
        var name = ""
        var app = Scope.defaultApp
        var userId: String?
        var timestamp: Timestamp?
        var producer: (id: String, seq: Int64)?
        var properties = Properties.none
        var unknown = UnknownMembers()

        init(_ request: Request) throws(WireError) {
            var hasName = false
            if let members = request.params?.members {
                for member in members {
                    if member.key.isEqual("name") {
                        // Null is as good as nothing, here as for every method.
                        if member.value.isNull { continue }
                        name = try Order.string(member.value, "name")
                        hasName = true
                    } else if member.key.isEqual("properties") {
                        properties = try Order.properties(member.value)
                    } else if member.key.isEqual("app") {
                        if !member.value.isNull { app = try Order.string(member.value, "app") }
                    } else if member.key.isEqual("userId") {
                        if !member.value.isNull { userId = try Order.string(member.value, "userId") }
                    } else if member.key.isEqual("timestamp") {
                        if !member.value.isNull { timestamp = try Order.time(member.value, "timestamp") }
                    } else if member.key.isEqual("producer") {
                        if !member.value.isNull { producer = try Order.producer(member.value, &unknown) }
                    } else {
                        unknown.add(member.key)
                    }
                }
            }
            guard hasName else { throw Params.missing("name", MemberType.string.words) }
        }

        private static func string(_ node: JSONNode, _ name: String) throws(WireError) -> String {
            guard let text = node.string else {
                throw WireError(.invalidParams, "'\(name)' must be \(MemberType.string.words)", path: Params.path(name))
            }
            return text
        }

        private static func time(_ node: JSONNode, _ name: String) throws(WireError) -> Timestamp {
            guard let time = node.utf8.flatMap({ Timestamp(utf8: $0) }) else {
                throw WireError(
                    .invalidParams, "'\(name)' must be \(MemberType.time.words)", path: Params.path(name))
            }
            return time
        }

        private static func producer(
            _ node: JSONNode, _ unknown: inout UnknownMembers
        ) throws(WireError) -> (id: String, seq: Int64) {
            var (id, seq): (String?, Int64?)
            if let members = node.members {
                for member in members {
                    if member.key.isEqual("id") {
                        id = member.value.string
                    } else if member.key.isEqual("seq") {
                        seq = member.value.int
                    } else {
                        unknown.add(member.key)
                    }
                }
            }
            if let id, let seq, seq > 0 { return (id, seq) }
            // Written in another way, or wrong.
            return try ProducerSend.read(node.toValue())
        }

        private static func properties(_ node: JSONNode) throws(WireError) -> Properties {
            if node.isNull { return .none }
            guard let members = node.members else {
                throw WireError(
                    .invalidParams, "'properties' must be an object of names and values",
                    path: Params.path("properties"))
            }
            // In one allocation: this is the one that every event costs.
            let size = members.reduce(0) { $0 + $1.key.count + ($1.value.utf8?.count ?? 0) + Properties.memberOverhead }
            var properties = Properties(reservingCapacity: size)
            for member in members {
                if member.key.count > Limits.propertyKeyBytes {
                    try PropertyRules.check(keyLength: member.key.count, path: path(member.key))
                }
                if let text = member.value.utf8 {
                    properties.append(key: member.key, string: text)
                } else if let number = member.value.int {
                    properties.append(key: member.key, integer: number)
                } else if let flag = member.value.bool {
                    properties.append(key: member.key, bool: flag)
                } else if let number = member.value.double {
                    properties.append(key: member.key, double: number)
                } else {
                    throw PropertyRules.notPrimitive(
                        String(decoding: member.key, as: UTF8.self), path: path(member.key))
                }
            }
            return properties
        }

        private static func path(_ key: UnsafeBufferPointer<UInt8>) -> String {
            "\(Params.path("properties")).\(String(decoding: key, as: UTF8.self))"
        }
    }
}

extension WireError {
    /// The engine names the member at fault; here it gets its place in the request.
    var inParams: WireError {
        WireError(reason, message, path: path.map(Params.path))
    }
}
