import HarkCore
import HarkLedger
import HarkSystem
package import HarkWire

/// Reads `event.record` straight from the line: the only method that is called a hundred thousand times a second.
///
/// It does what the router does for other methods (types, unknown members, errors with paths) without intermediate
/// values. `EventRecord` declares its parameters.
@DaemonActor
final class RecordLane {
    private let ledger: Ledger
    private let reader = RecordOrderReader()

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    /// Whether this is the name of the method.
    func isMeant(by method: UnsafeBufferPointer<UInt8>) -> Bool { reader.isMeant(by: method) }

    /// Reads a line of the simplest form; nil for all others.
    func order(plain line: UnsafeBufferPointer<UInt8>) -> RecordOrder? { reader.read(plain: line) }

    func take(_ request: Request, from connection: ClientConnection) throws(WireError) {
        try take(try reader.read(request), from: connection)
    }

    func take(_ order: borrowing RecordOrder, from connection: ClientConnection) throws(WireError) {
        let peer = connection.peer
        let scope = Scope(uid: peer.uid, app: order.app)
        let source = Source(uid: peer.uid, pid: peer.credentials.pid)
        let send = order.producer.map { ProducerSend(Producer($0.id, in: scope), number: $0.seq) }
        let need = try ledger.need(
            toRecord: order.name, in: scope, userId: order.userId, isUnattended: order.isUnattended,
            by: send?.producer)
        let receipt: Decided<Receipt>
        do throws(WireError) {
            receipt = try ledger.record(needing: need) { engine, changes, now throws(WireError) in
                try engine.once(send, into: &changes) { engine, changes throws(WireError) in
                    try engine.record(
                        order.name, properties: order.properties, in: scope, userId: order.userId,
                        isUnattended: order.isUnattended, timestamp: order.timestamp, source: source, now: now,
                        into: &changes)
                }
            }
        } catch {
            throw error.inParams
        }
        guard let id = order.id else {
            ledger.noteUnanswered()
            return
        }
        var (warnings, dropped) = (order.warnings, order.dropped)
        if let timestamp = order.timestamp { warnings += ledger.warnings(ofTime: timestamp) }
        let isNumbered = send != nil
        receipt.reply(to: connection) { receipt, json in
            Envelope.beginResult(id, in: &json)
            json.beginObject()
            receipt.write(isNumbered: isNumbered, to: &json)
            json.dropped(.droppedProperties, dropped)
            if !warnings.isEmpty { json.warnings(warnings) }
            json.endObject()
            Envelope.end(&json)
        }
    }
}

extension WireError {
    /// The error with its path in the request instead of in the parameters.
    package var inParams: WireError {
        WireError(reason, message, path: path.map(Params.path))
    }
}
