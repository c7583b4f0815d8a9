import Glibc
import HarkDaemon
import HarkServer
import HarkWire

/// Reads the daemon's output, and checks the rules for every line.
struct ReplyReader: ~Copyable {
    struct Statistics {
        var results = 0
        var errors: [ErrorReason: Int] = [:]
        var notifications = 0
    }

    private(set) var statistics = Statistics()
    private var tape = JSONTape(capacity: 1 << 20)
    /// The store may refuse now, or has a moment ago.
    var mayRefuse = false

    /// A reply with a result, for interested code.
    typealias Result = (id: Int, result: JSONNode, owed: FuzzedConnection.Owed)

    mutating func read(
        _ line: UnsafeBufferPointer<UInt8>, for connection: FuzzedConnection, isPrivate: Bool,
        _ use: (Result) throws(Finding) -> Void
    ) throws(Finding) {
        func broken(_ what: String) -> Finding {
            Finding("connection \(connection.number): \(what): \(String(decoding: line.prefix(2_000), as: UTF8.self))")
        }
        if isPrivate, let leak = Self.leak(in: line, to: connection.user) { throw broken("shows \(leak)") }
        let root: JSONNode
        do throws(JSONTape.Failure) { root = try tape.parse(line) } catch { throw broken("not JSON") }
        guard root.member("jsonrpc")?.utf8?.isEqual("2.0") == true else { throw broken("not a message") }
        if root.member("method") != nil {
            guard root.member("id") == nil, root.member("params")?.member("subscription")?.int != nil else {
                throw broken("not a notification")
            }
            statistics.notifications += 1
            return
        }
        guard let id = root.member("id") else { throw broken("no id") }
        let result = root.member("result")
        let error = root.member("error")
        guard (result == nil) != (error == nil) else { throw broken("neither a result nor an error") }
        var reason: ErrorReason?
        if let error {
            reason = try check(error, broken)
            if reason == .slowReader {
                connection.isCutOff = true
                return
            }
        } else {
            guard result?.kind == .object else { throw broken("the result is no object") }
            statistics.results += 1
        }
        if id.isNull { return try connection.settleNull(error?.member("message")?.string ?? "") }
        let isText = id.kind == .string
        guard let number = isText ? id.string.flatMap({ Int($0.dropFirst()) }) : id.int.map({ Int($0) }) else {
            throw broken("an id of its own")
        }
        let owed = try connection.settle(number, isText: isText)
        if let result { try use((number, result, owed)) }
    }

    private mutating func check(_ error: JSONNode, _ broken: (String) -> Finding) throws(Finding) -> ErrorReason {
        guard let word = error.member("data")?.member("reason")?.string, let reason = ErrorReason(rawValue: word),
            error.member("code")?.int == Int64(reason.code), error.member("message")?.string?.isEmpty == false
        else { throw broken("not an error") }
        statistics.errors[reason, default: 0] += 1
        if reason == .internalError || reason == .storeUnavailable && !mayRefuse { throw broken("a fault of its own") }
        return reason
    }

    /// The end of a user's mark.
    static func secret(of user: Int) -> String { String(repeating: "\(user)", count: 4) }

    /// Returns a part of a line that this user must not see.
    private static func leak(in line: UnsafeBufferPointer<UInt8>, to user: Int) -> String? {
        let mark = Array("secret-of-".utf8)
        var rest = line[...]
        // The rarest of its letters comes first.
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[(dash + 1)...]
            guard rest.starts(with: mark.suffix(3)), line[..<dash].suffix(6).elementsEqual(mark.prefix(6)) else {
                continue
            }
            let whose = String(decoding: rest.dropFirst(3).prefix(4), as: UTF8.self)
            // Whole, as a damaged mark of one's own may look like the beginning of another's.
            guard whose != secret(of: user),
                whose == "file" || FuzzedDaemon.users.indices.contains(where: { whose == secret(of: $0) })
            else { continue }
            return "secret-of-\(whose)"
        }
        return nil
    }
}
