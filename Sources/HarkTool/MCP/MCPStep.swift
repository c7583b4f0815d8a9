import HarkClient
import HarkWire

/// What a call does next. A call never blocks: it names what it waits for and what comes then.
enum MCPStep {
    /// A request of the daemon.
    case request(DaemonRequest, then: (Swift.Result<JSONText, ClientError>) -> MCPStep)
    /// A command of this tool that is run as a program of its own, which can be ended whatever it does.
    case program(ProgramRun, then: (ProgramRun.Outcome) -> MCPStep)
    case done(MCPToolResult)
}

/// What a tool gives back: for the model, which may mend what it is told of.
struct MCPToolResult {
    enum Content {
        case text(String)
        /// A document within the result.
        case document(uri: String, type: String, text: String)
    }

    var content: [Content]
    /// The text of a JSON object.
    var structured: [UInt8]?
    var isError = false

    /// A result as JSON, which older clients find in a text.
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
