import HarkWire

/// Reads one line at a time into a `Request`, or reports why it is none.
///
/// A line is one JSON object: `method` a string, `params` an object if present, `id` a string, an integer, null or left
/// out, `jsonrpc` "2.0" or left out. No object, however deep, may have duplicate keys; integers fit Int64; nesting is
/// bounded. The input may be any bytes.
package struct RequestReader: ~Copyable {
    private var tape: JSONTape
    private let inspector: TapeInspector

    package init(maxNesting: Int = 32, capacity: Int = 64 << 10) {
        tape = JSONTape(capacity: capacity)
        inspector = TapeInspector(maxNesting: maxNesting)
    }

    /// Reads a line without its newline. It must be followed by `JSONTape.padding` readable bytes.
    package mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws(Request.Refusal) -> Request {
        let root: JSONNode
        do {
            root = try tape.parse(line)
        } catch {
            throw explain(line, error)
        }
        do {
            try inspector.inspect(root)
        } catch {
            throw Request.Refusal(error: error.wireError, id: Self.identify(root))
        }
        do {
            return try Self.envelope(root)
        } catch {
            throw Request.Refusal(error: error, id: Self.identify(root))
        }
    }

    private func explain(_ line: UnsafeBufferPointer<UInt8>, _ failure: JSONTape.Failure) -> Request.Refusal {
        var finder = FaultFinder(line, maxNesting: inspector.maxNesting)
        let fault = finder.find()?.wireError
        let otherwise =
            switch failure {
            case .malformed: WireError(.parseError, "not JSON; send one JSON object a line")
            case .outOfMemory:
                WireError(
                    .internalError,
                    "harkd has no memory to read a request of \(line.count) bytes; nothing was done: try again later")
            }
        return Request.Refusal(error: fault ?? otherwise, id: finder.id)
    }

    private static func envelope(_ root: JSONNode) throws(WireError) -> Request {
        guard let members = root.members else {
            let advice = root.kind == .array ? "to send several, send several lines" : "send one JSON object a line"
            throw WireError(.invalidRequest, "a request is an object; \(advice)", path: "$")
        }
        var id: RequestID?
        var method: UnsafeBufferPointer<UInt8>?
        var params: JSONNode?
        var unknown = UnknownMembers()
        for member in members {
            if member.key.isEqual("id") {
                id = try self.id(member.value)
            } else if member.key.isEqual("method") {
                guard let name = member.value.utf8 else {
                    throw WireError(.invalidRequest, "method must be a string such as \"hello\"", path: "$.method")
                }
                method = name
            } else if member.key.isEqual("params") {
                guard member.value.kind == .object else {
                    throw WireError(.invalidRequest, "params must be an object, or left out", path: "$.params")
                }
                params = member.value
            } else if member.key.isEqual("jsonrpc") {
                guard member.value.utf8?.isEqual("2.0") == true else {
                    throw WireError(.invalidRequest, "jsonrpc must be \"2.0\", or left out", path: "$.jsonrpc")
                }
            } else {
                unknown.add(member.key)
            }
        }
        guard let method else {
            throw WireError(.invalidRequest, "a request needs a method, a string such as \"hello\"", path: "$.method")
        }
        return Request(id: id, method: method, params: params, unknown: unknown)
    }

    private static func id(_ node: JSONNode) throws(WireError) -> RequestID {
        if let value = node.int { return .int(value) }
        if let text = node.utf8 { return .string(utf8: text) }
        guard node.isNull else {
            throw WireError(.invalidRequest, "id must be a string, an integer or null", path: "$.id")
        }
        return .null
    }

    /// The id of a refused request; null if it is missing or ambiguous.
    private static func identify(_ root: JSONNode) -> RequestID {
        guard let members = root.members else { return .null }
        let ids = members.filter { $0.key.isEqual("id") }
        // With two ids, neither is used; an invalid id counts as missing.
        guard ids.count == 1, let id = try? id(ids[0].value) else { return .null }
        return id
    }
}
