import HarkWire

/// How a destination stands, as `delivery.status` tells it.
struct DestinationStatus: CustomStringConvertible {
    let value: JSONValue

    var state: String { value["state"]?.stringValue ?? "" }
    var pending: Int { Int(value["pending"]?.intValue ?? -1) }
    var delivered: Int { Int(value["delivered"]?.intValue ?? -1) }
    var deadLetters: Int { Int(value["deadLetters"]?.intValue ?? -1) }
    var lastError: String? { value["lastError"]?.stringValue }
    var retryAt: String? { value["retryAt"]?.stringValue }

    /// By reason.
    var dropped: [String: Int] {
        Dictionary(
            (value["dropped"]?.objectValue ?? JSONObject([])).map { ($0.key, Int($0.value.intValue ?? -1)) },
            uniquingKeysWith: { $1 })
    }

    /// Everything it knows of: delivered, dropped or pending.
    var written: Int { delivered + dropped.values.reduce(0, +) + pending }

    func lane(_ name: String) -> JSONValue? {
        value["lanes"]?.arrayValue?.first { $0["name"]?.stringValue == name }
    }

    var description: String { value.description }
}

extension SocketClient {
    func destination(_ name: String) throws -> DestinationStatus {
        guard
            let value = try call("delivery.status", #"{"destination":"\#(name)"}"#)["destinations"]?[0]
        else { throw Failure("no destination \(name)") }
        return DestinationStatus(value: value)
    }

    /// Waits until a destination is as asked for.
    @discardableResult
    func wait(
        for name: String, _ what: String, within seconds: Double = 20, _ condition: (DestinationStatus) -> Bool
    ) throws -> DestinationStatus {
        var last: DestinationStatus?
        do {
            try waitUntil(what, within: seconds) {
                last = try destination(name)
                return last.map(condition) ?? false
            }
        } catch {
            throw Failure("\(error); \(name) is \(last?.description ?? "unknown")")
        }
        return last!
    }
}
