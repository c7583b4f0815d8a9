import HarkCore
import HarkWire

extension ProducerSend {
    /// The parameter of those methods whose repeated sends are recorded once.
    static let parameter = Method.Parameter(
        name: "producer",
        type: .members([
            .always("id", .string, "who sends it: 1 to \(Limits.producerIdBytes) bytes"),
            .always("seq", .integer(in: 1 ... .max), "grows with each send of that producer"),
        ]),
        meaning:
            "`id` (1 to \(Limits.producerIdBytes) bytes) and `seq` (at least 1): who sends it, and under which number; "
            + "see [Sending again](#sending-again)")

    /// What `Receipt.write` writes.
    ///
    /// - Parameter what: "the event".
    static func result(_ what: String, in session: String) -> [Shape.Member] {
        let unless = "; null where it was recorded before and that is not known any more"
        return [
            .always("id", .orNull(.id), "\(what)'s id (UUID)\(unless)"),
            .always("seq", .orNull(.count), "its number, ascending over the whole store; null as `id`"),
            .always("sessionId", .orNull(.id), "\(session); null as `id`"),
            .maybe("duplicate", .bool, "with `producer`: whether it was recorded before, and not now"),
        ]
    }

    /// Reads the parameter; nil where there is none.
    static func read(_ params: Params, in scope: Scope) throws(WireError) -> ProducerSend? {
        guard let value = params["producer"], !value.isNull else { return nil }
        let (id, seq) = try read(value)
        return ProducerSend(Producer(id, in: scope), number: seq)
    }

    static func read(_ value: JSONValue) throws(WireError) -> (id: String, seq: Int64) {
        guard let object = value.objectValue else {
            throw WireError(
                .invalidParams, "'producer' must be an object with 'id' and 'seq'", path: Params.path("producer"))
        }
        let params = Params(object: object)
        do throws(WireError) {
            return (try params.required("id", .string), try params.required("seq", .integer(in: 1...Int64.max)))
        } catch {
            throw error.inside("producer")
        }
    }
}

extension Receipt {
    /// Writes the members that tell what was recorded.
    ///
    /// - Parameter isNumbered: whether a producer sent it.
    func write(isNumbered: Bool, to json: inout JSONWriter) {
        let recorded = recorded
        json.key("id")
        if let recorded { json.identifier(recorded.id) } else { json.null() }
        json.key("seq")
        if let recorded { json.uint(recorded.sequence) } else { json.null() }
        json.key("sessionId")
        if let recorded { json.identifier(recorded.sessionId) } else { json.null() }
        guard isNumbered else { return }
        json.key("duplicate")
        json.bool(isRepeated)
    }
}
