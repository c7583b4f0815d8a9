import HarkClient
import HarkWire

/// Handles each method of the protocol except tool calls.
struct MCPMethods {
    /// The outcome of a request.
    enum Outcome {
        /// The reply line to send.
        case reply([UInt8])
        case call(MCPCall, MCPTool)
    }

    /// The client that sent `initialize`; nil if none has. Requests of the modern era are self-contained all the same.
    private var legacy: MCPClient?

    mutating func answer(_ id: RequestID, _ method: String, _ params: JSONObject) -> Outcome {
        do throws(MCPError) {
            return try handle(id, method, params)
        } catch {
            return .reply(MCPReply.error(id, error))
        }
    }

    private mutating func handle(
        _ id: RequestID, _ method: String, _ params: JSONObject
    ) throws(MCPError) -> Outcome {
        if method == "initialize" { return .reply(try initialize(id, params)) }
        let (era, client) = try conversation(method, params)
        switch (method, era) {
        case ("ping", .legacy): return .reply(MCPReply.result(id, era) { _ in })
        case ("server/discover", .modern): return .reply(discover(id))
        case ("tools/list", _):
            return .reply(
                MCPReply.result(id, era) { json in
                    MCPReply.lifetime(era, &json)
                    json.key("tools")
                    json.beginArray()
                    for tool in MCPTool.all { tool.write(to: &json) }
                    json.endArray()
                })
        case ("tools/call", _): return try call(id, era, client, params)
        case ("resources/list", _):
            return .reply(
                MCPReply.result(id, era) { json in
                    MCPReply.lifetime(era, &json)
                    json.key("resources")
                    MCPResources.writeList(to: &json)
                })
        case ("resources/templates/list", _):
            return .reply(
                MCPReply.result(id, era) { json in
                    MCPReply.lifetime(era, &json)
                    json.key("resourceTemplates")
                    MCPReply.texts([], &json)
                })
        case ("resources/read", _): return .reply(try read(id, era, params))
        default:
            throw MCPError(.unknownMethod, "there is no method '\(MCPNote.name(method))'")
        }
    }

    /// Returns the era of a request and its client.
    private func conversation(
        _ method: String, _ params: JSONObject
    ) throws(MCPError) -> (era: MCPEra, client: MCPClient) {
        let meta = params["_meta"]
        guard let version = meta?[MCPEra.versionKey] else {
            if let legacy { return (.legacy, legacy) }
            // A ping may come before everything else.
            if method == "ping" { return (.legacy, .unknown) }
            throw MCPError(
                .invalidParams,
                "a request says its version in _meta (\(MCPEra.versionKey)), or comes after 'initialize'")
        }
        guard let text = version.stringValue else {
            throw MCPError(.invalidParams, "'\(MCPEra.versionKey)' is a text")
        }
        guard MCPEra.modernVersions.contains(text) else {
            throw MCPError(
                .unsupportedVersion, "this version of the protocol is not spoken here",
                requested: MCPNote.name(text))
        }
        guard meta?[MCPEra.capabilitiesKey]?.objectValue != nil else {
            throw MCPError(.invalidParams, "'\(MCPEra.capabilitiesKey)' is missing in _meta")
        }
        return (.modern, MCPClient(meta?[MCPEra.clientKey]))
    }

    private mutating func initialize(_ id: RequestID, _ params: JSONObject) throws(MCPError) -> [UInt8] {
        guard let version = params["protocolVersion"]?.stringValue else {
            throw MCPError(.invalidParams, "'protocolVersion' is missing")
        }
        legacy = MCPClient(params["clientInfo"])
        let spoken = MCPEra.legacyVersions.contains(version) ? version : MCPEra.legacyVersions[0]
        return MCPReply.result(id, .legacy) { json in
            json.key("protocolVersion")
            json.string(spoken)
            json.key("capabilities")
            Self.capabilities(&json)
            json.key("serverInfo")
            MCPReply.server(&json)
            json.key("instructions")
            json.string(MCPTool.instructions)
        }
    }

    private func discover(_ id: RequestID) -> [UInt8] {
        MCPReply.result(id, .modern) { json in
            MCPReply.lifetime(.modern, &json)
            json.key("supportedVersions")
            MCPReply.texts(MCPEra.modernVersions + MCPEra.legacyVersions, &json)
            json.key("capabilities")
            Self.capabilities(&json)
            json.key("instructions")
            json.string(MCPTool.instructions)
        }
    }

    private static func capabilities(_ json: inout JSONWriter) {
        json.beginObject()
        for name in ["tools", "resources"] {
            json.key(name)
            json.beginObject()
            json.endObject()
        }
        json.endObject()
    }

    private func call(
        _ id: RequestID, _ era: MCPEra, _ client: MCPClient, _ params: JSONObject
    ) throws(MCPError) -> Outcome {
        guard let name = params["name"]?.stringValue else { throw MCPError(.invalidParams, "'name' is missing") }
        guard let tool = MCPTool.all.first(where: { $0.name == name }) else {
            let names = MCPTool.all.map(\.name)
            throw MCPError(
                .invalidParams,
                "there is no tool '\(MCPNote.name(name))'"
                    + Suggestion.question(for: name, among: names))
        }
        let given = params["arguments"] ?? .null
        guard let arguments = given.isNull ? [:] : given.objectValue else {
            throw MCPError(.invalidParams, "'arguments' is an object")
        }
        // An invalid token is ignored: progress with it would not be a valid message.
        let token = params["_meta"]?["progressToken"]
        let isToken = token.flatMap(MCPMessage.id) != nil
        return .call(
            MCPCall(
                id: id, era: era, client: client, arguments: MCPArguments(arguments),
                token: isToken ? token : Optional.none), tool)
    }

    private func read(_ id: RequestID, _ era: MCPEra, _ params: JSONObject) throws(MCPError) -> [UInt8] {
        guard let uri = params["uri"]?.stringValue else { throw MCPError(.invalidParams, "'uri' is missing") }
        guard let (text, type) = MCPResources.read(uri) else {
            throw MCPError(
                era == .legacy ? .unknownResource : .invalidParams,
                "there is no resource '\(MCPNote.name(uri))'")
        }
        return MCPReply.result(id, era) { json in
            MCPReply.lifetime(era, &json)
            json.key("contents")
            json.beginArray()
            json.beginObject()
            for (key, value) in [("uri", uri), ("mimeType", type), ("text", text)] {
                json.key(key)
                json.string(value)
            }
            json.endObject()
            json.endArray()
        }
    }
}
