import Glibc
package import HarkWire

/// Sends many requests over one connection without waiting for each reply, and matches replies to requests.
///
/// At most `window` requests and `queueLimit` bytes are in flight, so memory is bounded for any source, and
/// neither side can fill the other's queue. Only `turn` blocks.
///
/// A refusal without an id (the daemon could not read the line) belongs to one of the open requests. It is matched when
/// there are no more open requests than such refusals, since these come in order.
package struct Pipeline: ~Copyable {
    /// The outcome of a request.
    package struct Outcome: Sendable {
        /// The tag given to `submit`.
        package let tag: Int
        package let result: Result<JSONText, ClientError>
    }

    /// The reasons why a turn ended.
    package struct Wake: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let source = Wake(rawValue: 1)
        package static let interrupt = Wake(rawValue: 2)
    }

    private static let queueLimit = 1 << 20
    /// The maximum size of the lines from the first open request on, which may have to be sent again.
    private static let keepLimit = 16 << 20

    private var connection: Connection
    private let window: Int
    private var reader = LineReader(capacity: 1 << 16)
    /// The lines of the requests from `firstOpen` on.
    private var output: [UInt8] = []
    private var sent = 0
    /// The tags of the requests from `firstOpen` on; nil if the reply has come.
    private var tags: [Int?] = []
    /// The lengths of the lines of those requests.
    private var lengths: [Int] = []
    /// The number of answered requests at the front, and the size of their lines.
    private var done = (count: 0, bytes: 0)
    private var firstOpen: Int64 = 1
    private var unattributed: [ClientError] = []
    /// The number of requests without a reply.
    package private(set) var open = 0

    package init(_ connection: consuming Connection, window: Int = 4096) {
        self.connection = connection
        self.window = window
    }

    /// Whether another request may be submitted now.
    package var hasRoom: Bool {
        open - unattributed.count < window && output.count - sent < Self.queueLimit
            && output.count - done.bytes < Self.keepLimit
    }

    /// Whether the daemon refused requests that are not identified yet.
    package var hasUnattributed: Bool { !unattributed.isEmpty }

    /// Continues over another connection: sends all unanswered requests again, in order.
    package mutating func resume(over connection: consuming Connection) {
        self.connection = connection
        reader = LineReader(capacity: 1 << 16)
        unattributed = []
        var kept: [UInt8] = []
        var start = 0
        for index in tags.indices {
            let end = start + lengths[index]
            if tags[index] == nil { lengths[index] = 0 } else { kept += output[start..<end] }
            start = end
        }
        output = kept
        sent = 0
        done.bytes = 0
    }

    /// Queues a request. Precondition: `params` is one JSON object on one line.
    package mutating func submit(_ method: String, params: some Collection<UInt8>, tag: Int) {
        submit(method, tag: tag) { $0.append(contentsOf: params) }
    }

    /// Queues a request whose params the closure appends.
    package mutating func submit(_ method: String, tag: Int, params: (inout [UInt8]) -> Void) {
        let id = firstOpen + Int64(tags.count)
        let start = output.count
        RequestLine.append(to: &output, id: id, method: method, params: params)
        tags.append(tag)
        lengths.append(output.count - start)
        open += 1
    }

    package mutating func submit(_ request: some WireMethod, tag: Int) {
        submit(type(of: request).name, params: request.json, tag: tag)
    }

    /// Sends and receives without blocking. If there is nothing to do, waits first for a reply, room to send, bytes in
    /// `source`, or a signal in `interrupt`.
    ///
    /// Throws when the connection is gone. Outcomes received before are delivered first.
    ///
    /// - Parameter milliseconds: The longest wait; -1 for any.
    package mutating func turn(
        source: CInt? = nil, interrupt: CInt? = nil, atMost milliseconds: CInt = -1, _ handle: (Outcome) throws -> Void
    ) throws -> Wake {
        try flush()
        var entries = [
            pollfd(fd: connection.descriptor, events: Int16(POLLIN | (sent < output.count ? POLLOUT : 0)), revents: 0),
            pollfd(fd: source ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, nfds_t(entries.count), milliseconds) < 0 {
            if errno != EINTR { throw Connection.broken(errno) }
        }
        if entries[0].revents & Int16(POLLOUT) != 0 { try flush() }
        if entries[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try receive(handle) }
        var wake: Wake = []
        if entries[1].revents != 0 { wake.insert(.source) }
        if entries[2].revents != 0 { wake.insert(.interrupt) }
        return wake
    }

    private mutating func flush() throws(ClientError) {
        while sent < output.count {
            let count = output.withUnsafeBytes {
                send(
                    connection.descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent,
                    CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                break
            } else if errno == EPIPE || errno == ECONNRESET {
                // Replies sent before the daemon closed are still to be read, and the end of input reports the closing.
                break
            } else if errno != EINTR {
                throw Connection.broken(errno)
            }
        }
    }

    /// Releases answered requests.
    private mutating func forgetAnswered() {
        guard open > 0 else {
            firstOpen += Int64(tags.count)
            tags.removeAll(keepingCapacity: true)
            lengths.removeAll(keepingCapacity: true)
            // The memory of a burst is not kept.
            output.removeAll(keepingCapacity: output.capacity <= Self.keepLimit / 4)
            (sent, done) = (0, (0, 0))
            return
        }
        while done.count < tags.count, tags[done.count] == nil {
            done.bytes += lengths[done.count]
            done.count += 1
        }
        // Not for each one, because the rest has to be moved.
        guard done.count > window || done.bytes > Self.queueLimit else { return }
        firstOpen += Int64(done.count)
        tags.removeFirst(done.count)
        lengths.removeFirst(done.count)
        output.removeFirst(done.bytes)
        (sent, done) = (max(sent - done.bytes, 0), (0, 0))
    }

    private mutating func receive(_ handle: (Outcome) throws -> Void) throws {
        let descriptor = connection.descriptor
        let filled = reader.fill { recv(descriptor, $0, $1, CInt(MSG_DONTWAIT)) }
        while let line = reader.next() {
            if let outcome = try outcome(of: line) { try handle(outcome) }
        }
        try settle(handle)
        switch filled {
        case .bytes, .nothing: return
        case .end: throw Connection.closed
        case .failed(let code): throw Connection.broken(code)
        case .tooLong: throw ClientError(.malformedReply, "a reply of the daemon is too long")
        }
    }

    private mutating func outcome(of line: ArraySlice<UInt8>) throws(ClientError) -> Outcome? {
        switch try Incoming(line) {
        case .result(let id?, let result): return take(id).map { Outcome(tag: $0, result: .success(result)) }
        case .error(let id?, let error): return take(id).map { Outcome(tag: $0, result: .failure(error)) }
        case .error(nil, let error):
            unattributed.append(error)
            return nil
        case .result, .notification: return nil
        }
    }

    private mutating func take(_ id: Int64) -> Int? {
        let (index, overflow) = Int(id).subtractingReportingOverflow(Int(firstOpen))
        guard !overflow, tags.indices.contains(index), let tag = tags[index] else { return nil }
        tags[index] = nil
        open -= 1
        forgetAnswered()
        return tag
    }

    /// Matches refusals without an id to the remaining requests.
    private mutating func settle(_ handle: (Outcome) throws -> Void) throws {
        guard !unattributed.isEmpty, open == unattributed.count else { return }
        let outcomes = zip(tags.compactMap { $0 }, unattributed).map { Outcome(tag: $0, result: .failure($1)) }
        unattributed.removeAll()
        open = 0
        forgetAnswered()
        for outcome in outcomes { try handle(outcome) }
    }
}
