/// The JSON-RPC 2.0 envelope of results, errors and notifications, each on one line.
package enum Envelope {
    /// Opens a reply. The caller writes one value, the result, and then calls `end`.
    package static func beginResult(_ id: RequestID, in writer: inout JSONWriter) {
        guard case .int(let number) = id else {
            writer.literal(#"{"jsonrpc":"2.0","id":"#)
            writer.requestID(id)
            return writer.key("result")
        }
        writer.unchecked(upTo: 64) { text in
            text.literal(#"{"jsonrpc":"2.0","id":"#)
            text.int(number)
            text.literal(#","result":"#)
        }
    }

    /// Writes a complete reply with a result that is JSON already.
    package static func result(_ result: [UInt8], _ id: RequestID, in writer: inout JSONWriter) {
        beginResult(id, in: &writer)
        writer.raw(result)
        end(&writer)
    }

    /// Closes the object of a result, with the warnings about it, if any.
    package static func finishResult(_ warnings: [String], in writer: inout JSONWriter) {
        if !warnings.isEmpty { writer.warnings(warnings) }
        writer.endObject()
    }

    /// Opens a notification. The caller writes one value, the params, and then calls `end`.
    package static func begin(_ notification: NotificationShape, in writer: inout JSONWriter) {
        writer.literal(#"{"jsonrpc":"2.0","method":"#)
        writer.string(notification.name)
        writer.key("params")
    }

    /// Closes what `beginResult` or `begin` opened.
    package static func end(_ writer: inout JSONWriter) {
        writer.endObject()
        writer.newline()
    }

    /// Writes a complete error reply. The id is `null` if the request's own could not be read.
    package static func error(_ id: RequestID, _ error: WireError, in writer: inout JSONWriter) {
        writer.literal(#"{"jsonrpc":"2.0","id":"#)
        writer.requestID(id)
        writer.key("error")
        writer.beginObject()
        writer.key("code")
        writer.int(error.reason.code)
        writer.key("message")
        writer.string(error.message)
        writer.key("data")
        writer.beginObject()
        writer.key("reason")
        writer.string(error.reason.rawValue)
        if let path = error.path {
            writer.key("path")
            writer.string(path)
        }
        if let status = error.status {
            writer.key("status")
            writer.int(status)
        }
        writer.endObject()
        writer.endObject()
        end(&writer)
    }
}

extension JSONWriter {
    /// Writes the warnings of a result.
    package mutating func warnings(_ texts: [String]) {
        key("warnings")
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
