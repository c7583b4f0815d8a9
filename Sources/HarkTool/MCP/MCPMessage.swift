import HarkWire

/// A message from a client.
enum MCPMessage {
    case request(id: RequestID, method: String, params: JSONObject)
    case notification(method: String, params: JSONObject)
    /// A reply. It is ignored, because this server sends no requests.
    case reply
    /// An invalid message, with its id if it has one.
    case fault(id: RequestID?, MCPError)

    /// Parses the messages of a line: one, or a batch of at most `MCPLimits.batch`.
    static func read(_ line: ArraySlice<UInt8>) -> [MCPMessage] {
        let value: JSONValue
        do throws(JSONFault) {
            value = try JSONDocument(Array(line), .json).value
        } catch {
            return [.fault(id: nil, MCPError(.parse, "\(error.message) (\(error.place))"))]
        }
        guard let batch = value.arrayValue else { return [MCPMessage(value)] }
        guard (1...MCPLimits.batch).contains(batch.count) else {
            return [.fault(id: nil, MCPError(.invalidRequest, "a batch has 1 to \(MCPLimits.batch) messages"))]
        }
        return batch.map(MCPMessage.init)
    }

    private init(_ value: JSONValue) {
        guard let message = value.objectValue else {
            self = .fault(id: nil, MCPError(.invalidRequest, "a message is an object"))
            return
        }
        let id = message["id"].flatMap(MCPMessage.id)
        guard message["jsonrpc"]?.stringValue == "2.0" else {
            self = .fault(id: id, MCPError(.invalidRequest, #"a message has "jsonrpc": "2.0""#))
            return
        }
        guard let method = message["method"] else {
            let isReply = message["result"] != nil || message["error"] != nil
            self = isReply ? .reply : .fault(id: id, MCPError(.invalidRequest, "'method' is missing"))
            return
        }
        guard let name = method.stringValue else {
            self = .fault(id: id, MCPError(.invalidRequest, "'method' is a text"))
            return
        }
        guard let params = (message["params"] ?? .object([:])).objectValue else {
            self = .fault(id: id, MCPError(.invalidRequest, "'params' is an object"))
            return
        }
        if let id {
            self = .request(id: id, method: name, params: params)
        } else if message["id"] == nil {
            self = .notification(method: name, params: params)
        } else {
            self = .fault(id: nil, MCPError(.invalidRequest, "'id' is a text or a whole number"))
        }
    }

    /// Returns a request id; nil if it is not valid.
    static func id(_ value: JSONValue) -> RequestID? {
        if let number = value.exactInteger { return .int(number) }
        guard var text = value.stringValue else { return nil }
        return text.withUTF8 { .string(utf8: $0) }
    }
}

/// A protocol error, which is the client's fault rather than the model's.
struct MCPError: Error {
    enum Code: Int64 {
        case parse = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParams = -32602
        /// Used by revisions with `initialize` only.
        case unknownResource = -32002
        case unsupportedVersion = -32022
    }

    let code: Code
    let message: String
    /// The requested version, if that is the problem.
    let requested: String?

    init(_ code: Code, _ message: String, requested: String? = nil) {
        self.code = code
        self.message = message
        self.requested = requested
    }
}
