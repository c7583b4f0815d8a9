import HarkWire

/// Formats the server's messages, each on one line.
enum MCPReply {
    /// - Parameter write: Writes the members of the result.
    static func result(_ id: RequestID, _ era: MCPEra, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        message { json in
            json.key("id")
            json.requestID(id)
            json.key("result")
            json.beginObject()
            if era == .modern {
                json.key("resultType")
                json.string("complete")
                json.key("_meta")
                json.beginObject()
                json.key(MCPEra.serverKey)
                server(&json)
                json.endObject()
            }
            write(&json)
            json.endObject()
        }
    }

    /// - Parameter id: Nil if the request's id could not be read, because the protocol has no null id.
    static func error(_ id: RequestID?, _ error: MCPError) -> [UInt8] {
        message { json in
            if let id {
                json.key("id")
                json.requestID(id)
            }
            json.key("error")
            json.beginObject()
            json.key("code")
            json.int(error.code.rawValue)
            json.key("message")
            json.string(error.message)
            if let requested = error.requested {
                json.key("data")
                json.beginObject()
                json.key("supported")
                texts(MCPEra.modernVersions + MCPEra.legacyVersions, &json)
                json.key("requested")
                json.string(requested)
                json.endObject()
            }
            json.endObject()
        }
    }

    static func progress(_ token: JSONValue, _ progress: Int64, _ text: String) -> [UInt8] {
        message { json in
            json.key("method")
            json.string("notifications/progress")
            json.key("params")
            json.beginObject()
            json.key("progressToken")
            json.value(token)
            json.key("progress")
            json.int(progress)
            json.key("message")
            json.string(text)
            json.endObject()
        }
    }

    /// Writes the server's `Implementation` object.
    static func server(_ json: inout JSONWriter) {
        json.beginObject()
        json.key("name")
        json.string("hark")
        json.key("title")
        json.string("Hark")
        json.key("version")
        json.string(Version.current)
        json.endObject()
    }

    /// Writes the cache lifetime that the modern era requires.
    static func lifetime(_ era: MCPEra, _ json: inout JSONWriter) {
        guard era == .modern else { return }
        json.key("ttlMs")
        json.int(MCPEra.lifetime)
        json.key("cacheScope")
        json.string("public")
    }

    static func texts(_ texts: [String], _ json: inout JSONWriter) {
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
    }

    private static func message(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var line = JSONWriter.object { json in
            json.key("jsonrpc")
            json.string("2.0")
            write(&json)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }
}
