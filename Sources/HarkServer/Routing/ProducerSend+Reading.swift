package import HarkCore
package import HarkWire

extension ProducerSend {
    /// Reads the parameter; nil if it is absent.
    package static func read(_ json: AnyJSON?, in scope: Scope) throws(WireError) -> ProducerSend? {
        guard let object = json?.object else { return nil }
        let (id, seq) = try read(object)
        return ProducerSend(Producer(id, in: scope), number: seq)
    }

    /// - Throws: An error about a member of the parameter.
    package static func read(_ object: JSONObject) throws(WireError) -> (id: String, seq: Int64) {
        let params = Params(object: object)
        do throws(WireError) {
            return (try params.required("id", .string), try params.required("seq", .producerSeq))
        } catch {
            throw error.inside("producer")
        }
    }
}

extension Receipt {
    /// Writes the members that describe what was recorded, by hand, as each event and each entry is answered so.
    ///
    /// - Parameter isNumbered: Whether a producer sent it.
    package func write(isNumbered: Bool, to json: inout JSONWriter) {
        let recorded = recorded
        if let recorded, !isNumbered { return recorded.write(to: &json) }
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

extension Recorded {
    /// Writes all members at once, because every event needs them: `"id":"…","seq":7,"sessionId":"…"`.
    fileprivate func write(to json: inout JSONWriter) {
        json.unchecked(upTo: 192) { json in
            json.literal(#""id":"#)
            json.identifier(id)
            json.literal(#","seq":"#)
            json.uint(sequence)
            json.literal(#","sessionId":"#)
            json.identifier(sessionId)
        }
    }
}
