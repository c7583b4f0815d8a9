import Foundation
import HarkTesting
import HarkWire

/// A connection to the daemon that shows everything that comes, line by line.
///
/// Blocks, with a deadline, and belongs to one thread at a time.
final class SocketClient: @unchecked Sendable {
    // Handed from thread to thread by the tests, never used on two at once but for `send` beside `readLine`, which
    // share no state.
    let descriptor: CInt
    /// How many bytes the kernel took; it has handed them to the daemon if that reads on.
    private(set) var sentBytes = 0
    /// What has to stay as long as this client.
    private let company: [AnyObject]
    private var buffer = LineBuffer()
    private var lastID = 0
    /// Notifications that came while a reply was awaited.
    private var held: [JSONValue] = []

    /// - Parameter daemon: stays at least as long as this client.
    init(to path: String, of daemon: DaemonProcess? = nil) throws {
        company = daemon.map { [$0] } ?? []
        descriptor = try connectedSocket(to: path)
    }

    /// Takes over one end of a socket pair.
    init(adopting descriptor: CInt, with company: [AnyObject]) {
        self.descriptor = descriptor
        self.company = company
    }

    deinit { close(descriptor) }

    // MARK: Lines

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = try check("send") {
                bytes.withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress! + sent, $0.count - sent, CInt(MSG_NOSIGNAL))
                }
            }
            sent += count
            sentBytes += count
        }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends no more, and goes on reading.
    func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// The next line without its newline; nil at the end. A deadline that passes is an error.
    func readLine(within seconds: Double = 60) throws -> [UInt8]? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            if let line = buffer.next() { return line }
            guard try fill(deadline) else { return nil }
        }
    }

    private func fill(_ deadline: Date) throws -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = CInt(max(0, deadline.timeIntervalSinceNow) * 1000)
        guard try check("poll", { poll(&entry, 1, milliseconds) }) > 0 else {
            throw Failure("nothing came in time; unfinished line: \(buffer.count) bytes")
        }
        let count = buffer.fill { recv(descriptor, $0.baseAddress, $0.count, 0) }
        // A peer that was killed with something unread resets the connection: for a reader that is the end as well.
        if count < 0, errno != ECONNRESET { throw Failure.system("recv") }
        return count > 0
    }

    // MARK: Requests

    /// The next line, read as JSON; the end of the connection is an error.
    func readValue(within seconds: Double = 60) throws -> JSONValue {
        guard let line = try readLine(within: seconds) else { throw Failure("the daemon closed the connection") }
        return try SocketClient.parse(line)
    }

    static func parse(_ line: [UInt8]) throws -> JSONValue {
        try JSONReader.read(line)
    }

    /// The next message that is a reply; notifications before it are kept for `notification`.
    func reply(within seconds: Double = 60) throws -> Reply {
        while true {
            let value = try readValue(within: seconds)
            if value["method"] == nil { return Reply(value) }
            held.append(value)
        }
    }

    func notification(within seconds: Double = 60) throws -> JSONValue {
        held.isEmpty ? try readValue(within: seconds) : held.removeFirst()
    }

    /// A notification that came before a reply was read; nil when there is none left.
    func heldNotification() -> JSONValue? { held.isEmpty ? .none : .some(held.removeFirst()) }

    /// Sends a request and waits for its reply.
    func ask(_ method: String, _ params: String = "{}", within seconds: Double = 60) throws -> Reply {
        lastID += 1
        try send("{\"id\":\(lastID),\"method\":\"\(method)\",\"params\":\(params)}\n")
        let reply = try reply(within: seconds)
        guard reply.id == .int(Int64(lastID)) else { throw Failure("a reply to somebody else: \(reply.value)") }
        return reply
    }

    /// The result of a request; a refusal is an error.
    @discardableResult
    func call(_ method: String, _ params: String = "{}", within seconds: Double = 60) throws -> JSONValue {
        let reply = try ask(method, params, within: seconds)
        guard let result = reply.result else { throw Failure("\(method) was refused: \(reply.value)") }
        return result
    }
}

/// A reply of any kind.
struct Reply: CustomStringConvertible {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    var id: JSONValue? { value["id"] }
    var result: JSONValue? { value["result"] }
    var code: Int64? { value["error"]?["code"]?.intValue }
    var message: String? { value["error"]?["message"]?.stringValue }
    var reason: String? { value["error"]?["data"]?["reason"]?.stringValue }
    var path: String? { value["error"]?["data"]?["path"]?.stringValue }
    var description: String { value.description }
}
