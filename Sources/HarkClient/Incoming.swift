/// A line from the daemon: the reply to a request, or a notification of a stream.
package enum Incoming: Sendable {
    /// `id` is nil if the daemon could not read the id of the request.
    case result(id: Int64?, JSONText)
    case error(id: Int64?, ClientError)
    case notification(method: String, params: JSONText)

    /// Throws `.malformedReply` for any other line.
    package init(_ line: ArraySlice<UInt8>) throws(ClientError) {
        if let (id, result) = Self.usualResult(line) {
            self = .result(id: id, result)
            return
        }
        var id: JSONText?
        var result: JSONText?
        var error: JSONText?
        var method: JSONText?
        var params: JSONText?
        JSONText(line).forEachMember { key, value in
            if key.isEqual("id") {
                id = value
            } else if key.isEqual("result") {
                result = value
            } else if key.isEqual("error") {
                error = value
            } else if key.isEqual("method") {
                method = value
            } else if key.isEqual("params") {
                params = value
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

    /// Parses a result in the daemon's usual form, with the result as the last member; nil for any other line.
    ///
    /// The result may be long, so it is not scanned to find its end.
    private static func usualResult(_ line: ArraySlice<UInt8>) -> (id: Int64, result: JSONText)? {
        guard line.starts(with: prefix), line.last == .closeBrace else { return nil }
        var id: Int64 = 0
        var place = line.startIndex + prefix.count
        let end = min(place + 18, line.endIndex)
        while place < end, case let digit = line[place] &- UInt8(ascii: "0"), digit < 10 {
            id = id &* 10 &+ Int64(digit)
            place += 1
        }
        guard place > line.startIndex + prefix.count, line[place...].starts(with: resultKey) else { return nil }
        let result = line[(place + resultKey.count)...].dropLast()
        guard result.first == .openBrace, result.last == .closeBrace else { return nil }
        return (id, JSONText(result))
    }

    private static let prefix = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    private static let resultKey = Array(#","result":"#.utf8)
}
