/// One line of the daemon: the reply to a request, or a notification of a stream.
package enum Incoming: Sendable {
    /// `id` is nil when the daemon could not read the request's.
    case result(id: Int64?, JSONText)
    case error(id: Int64?, ClientError)
    case notification(method: String, params: JSONText)

    /// Throws `.malformedReply` for a line that is none of these.
    package init(_ line: ArraySlice<UInt8>) throws(ClientError) {
        var id: JSONText?
        var result: JSONText?
        var error: JSONText?
        var method: JSONText?
        var params: JSONText?
        JSONText(line).forEachMember { key, value in
            switch String(decoding: key, as: UTF8.self) {
            case "id": id = value
            case "result": result = value
            case "error": error = value
            case "method": method = value
            case "params": params = value
            default: break
            }
            return true
        }
        if let result {
            self = .result(id: id?.int, result)
        } else if let error {
            self = .error(id: id?.int, ClientError(reply: error))
        } else if let name = method?.string {
            self = .notification(method: name, params: params ?? JSONText("{}"))
        } else {
            throw ClientError(
                .malformedReply, "what answers on the socket does not speak hark's protocol",
                hint: "Is HARK_SOCKET the daemon's socket?")
        }
    }
}
