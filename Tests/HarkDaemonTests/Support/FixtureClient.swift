import Glibc
import HarkServer
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// A client on the loop's own thread. The daemon runs while it awaits.
@DaemonActor
final class FixtureClient {
    private let descriptor: FileDescriptor
    private var source: IOSource?
    private var deadline: TimerSource?
    private var input = LineBuffer()
    private var isOver = false
    private var waiting: CheckedContinuation<Void, Never>?
    private var lastID = 0
    /// Notifications that came while a reply was awaited.
    private var held: [JSONValue] = []

    struct Silence: Error {}
    struct Ended: Error {}
    struct Refusal: Error { let reply: JSONValue }

    convenience init(path: String, loop: EventLoop) throws {
        try self.init(owning: try connectedSocket(to: path), loop: loop)
    }

    /// - Parameter raw: the descriptor of a socket that is connected.
    init(owning raw: Int32, loop: EventLoop) throws {
        descriptor = FileDescriptor(owning: raw)
        try descriptor.setNonblocking()
        source = try loop.watch(raw, for: .read) { [weak self] _ in self?.read() }
        deadline = try loop.timer(clock: .monotonic) { [weak self] in self?.wake() }
    }

    // Before the descriptor closes: a program that is being started holds a copy of it, and with it the watch.
    isolated deinit { source?.cancel() }

    private func read() {
        do {
            isOver = try input.fill { try descriptor.read(into: $0) ?? 0 } == 0
        } catch {
            // A daemon that closes with something of ours unread resets the connection: the end as well.
            isOver = true
        }
        if isOver { source?.cancel() }
        wake()
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }

    /// Sends text as it is. Only as much as the socket's buffer takes: tests send little.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let raw = descriptor.raw
        let sent = try syscall("write") { bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) } }
        precondition(sent == bytes.count, "the socket's buffer is full")
    }

    /// Sends no more, and goes on reading.
    func finishSending() { shutdown(descriptor.raw, Int32(SHUT_WR)) }

    /// Nothing has come that was not taken.
    var isSilent: Bool { input.count == 0 }

    /// How many messages have come that were not taken.
    var unreadReplies: Int { input.lines }

    /// The next line without its newline.
    func line() async throws -> String {
        // The loop is shared with all other tests.
        let patience: UInt64 = 900
        deadline?.arm(afterMicroseconds: patience * 1_000_000)
        let end = ContinuousClock.now + .seconds(patience)
        while true {
            if let line = input.next() { return String(decoding: line, as: UTF8.self) }
            guard !isOver else { throw Ended() }
            guard ContinuousClock.now < end else { throw Silence() }
            await withCheckedContinuation { waiting = $0 }
        }
    }

    /// The next message that is a reply.
    func reply() async throws -> JSONValue {
        while true {
            let value = try JSONReader.read(await line())
            if value["method"] == nil { return value }
            held.append(value)
        }
    }

    func notification() async throws -> JSONValue {
        if !held.isEmpty { return held.removeFirst() }
        return try JSONReader.read(await line())
    }

    /// A notification that came before a reply was read.
    func takeNotification() -> JSONValue? {
        // A literal nil would be JSON's null.
        held.isEmpty ? Optional.none : held.removeFirst()
    }

    /// Sends a request and awaits the reply, a result or a refusal. A result must have the declared shape.
    func ask(_ method: String, _ params: String = "{}") async throws -> JSONValue {
        lastID += 1
        try send("{\"id\":\(lastID),\"method\":\"\(method)\",\"params\":\(params)}\n")
        let reply = try await reply()
        if let result = reply["result"], let declared = MethodRegistry.all.first(where: { $0.name == method }) {
            #expect(OpenRPC.result(of: declared).faults(in: result) == [], "\(method) \(params)")
        }
        return reply
    }

    /// The result of a request.
    @discardableResult
    func call(_ method: String, _ params: String = "{}") async throws -> JSONValue {
        let reply = try await ask(method, params)
        guard let result = reply["result"] else { throw Refusal(reply: reply) }
        return result
    }
}
