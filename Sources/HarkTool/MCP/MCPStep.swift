import HarkClient
import HarkWire

/// The next step of a call. A call never blocks: it names what to wait for and a continuation.
enum MCPStep {
    /// A request to the daemon.
    case request(DaemonRequest, then: (Swift.Result<JSONText, ClientError>) -> MCPStep)
    /// A command of this tool, run as a separate program, which can be killed at any time.
    case program(ProgramRun, then: (ProgramRun.Outcome) -> MCPStep)
    case done(MCPToolResult)
}

/// The result of a tool, for the model. An error in it is one that the model may correct.
struct MCPToolResult {
    enum Content {
        case text(String)
        /// A document embedded in the result.
        case document(uri: String, type: String, text: String)
    }

    var content: [Content]
    /// A JSON object as text.
    var structured: [UInt8]?
    var isError = false

    /// A result as JSON, also as a text for older clients.
    static func object(_ write: (inout JSONWriter) -> Void) -> MCPToolResult {
        let json = JSONWriter.object(write)
        return MCPToolResult(content: [.text(String(decoding: json, as: UTF8.self))], structured: json)
    }

    static func fault(_ message: String) -> MCPToolResult {
        MCPToolResult(content: [.text(message)], isError: true)
    }

    func write(to json: inout JSONWriter) {
        json.key("content")
        json.beginArray()
        for part in content {
            json.beginObject()
            switch part {
            case .text(let text):
                json.key("type")
                json.string("text")
                json.key("text")
                json.string(text)
            case .document(let uri, let type, let text):
                json.key("type")
                json.string("resource")
                json.key("resource")
                json.beginObject()
                json.key("uri")
                json.string(uri)
                json.key("mimeType")
                json.string(type)
                json.key("text")
                json.string(text)
                json.endObject()
            }
            json.endObject()
        }
        json.endArray()
        if let structured {
            json.key("structuredContent")
            json.raw(structured)
        }
        json.key("isError")
        json.bool(isError)
    }
}
