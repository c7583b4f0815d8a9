import Glibc
package import HarkWire

/// Sends many requests over one connection without waiting for each reply, and says which reply is whose.
///
/// At most `window` requests and `queueLimit` bytes are under way, so memory stays bounded whatever the source and
/// neither side can fill the other's queue. Nothing here blocks but `turn`.
///
/// A refusal without an id (the daemon could not even read the line) is one of those that are still open. It is known
/// which as soon as no more requests are open than there are such refusals, since these come in order.
package struct Pipeline: ~Copyable {
    /// What became of one request.
    package struct Outcome: Sendable {
        /// The number the request was submitted with.
        package let tag: Int
        package let result: Result<JSONText, ClientError>
    }

    /// What a turn found.
    package struct Wake: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let source = Wake(rawValue: 1)
        package static let interrupt = Wake(rawValue: 2)
    }

    private static let queueLimit = 1 << 20
    /// No more is submitted while the requests from the first open one on take this much, as they may be sent again.
    private static let keepLimit = 16 << 20

    private var connection: Connection
    private let window: Int
    private var reader = LineReader(capacity: 1 << 16)
    /// The lines of the requests `firstOpen...`.
    private var output: [UInt8] = []
    private var sent = 0
    /// Tags of the requests `firstOpen...`; nil where the reply has come.
    private var tags: [Int?] = []
    /// How long the lines of those requests are.
    private var lengths: [Int] = []
    /// The first so many are answered, and their lines take so many bytes.
    private var done = (count: 0, bytes: 0)
    private var firstOpen: Int64 = 1
    private var unattributed: [ClientError] = []
    /// Requests whose reply has not come.
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

    /// Whether the daemon has refused requests of which it is not known which they are.
    package var hasUnattributed: Bool { !unattributed.isEmpty }

    /// Goes on over another connection: sends again, in order, whatever was not answered.
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

    /// Queues a request. Precondition: `params` is one JSON object in one line.
    package mutating func submit(_ method: String, params: some Collection<UInt8>, tag: Int) {
        submit(method, tag: tag) { $0.append(contentsOf: params) }
    }

    /// The same, with what appends the params.
    package mutating func submit(_ method: String, tag: Int, params: (inout [UInt8]) -> Void) {
        let id = firstOpen + Int64(tags.count)
        let start = output.count
        RequestLine.append(to: &output, id: id, method: method, params: params)
        tags.append(tag)
        lengths.append(output.count - start)
        open += 1
    }

    package mutating func submit(
        _ method: MethodShape, params: some Collection<UInt8> = Array("{}".utf8), tag: Int
    ) {
        submit(method.name, params: params, tag: tag)
    }

    /// Sends and receives what can be without waiting; waits first if there is nothing to do until one of these:
    /// a reply, room to send, bytes in `source` (if given), a signal in `interrupt` (if given).
    ///
    /// Throws when the connection is gone; the outcomes that came before are handed out first.
    package mutating func turn(
        source: CInt? = nil, interrupt: CInt? = nil, _ handle: (Outcome) throws -> Void
    ) throws -> Wake {
        try flush()
        var entries = [
            pollfd(fd: connection.descriptor, events: Int16(POLLIN | (sent < output.count ? POLLOUT : 0)), revents: 0),
            pollfd(fd: source ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, nfds_t(entries.count), -1) < 0 {
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
                // What the daemon said before it closed is still to be read, and the end of it says that it did.
                break
            } else if errno != EINTR {
                throw Connection.broken(errno)
            }
        }
    }

    /// Lets go of what was answered.
    private mutating func forgetAnswered() {
        guard open > 0 else {
            firstOpen += Int64(tags.count)
            tags.removeAll(keepingCapacity: true)
            lengths.removeAll(keepingCapacity: true)
            output.removeAll(keepingCapacity: true)
            (sent, done) = (0, (0, 0))
            return
        }
        while done.count < tags.count, tags[done.count] == nil {
            done.bytes += lengths[done.count]
            done.count += 1
        }
        // Not for each one, as what is left is moved.
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

    /// Gives the refusals without an id to the requests they must belong to.
    private mutating func settle(_ handle: (Outcome) throws -> Void) throws {
        guard !unattributed.isEmpty, open == unattributed.count else { return }
        let outcomes = zip(tags.compactMap { $0 }, unattributed).map { Outcome(tag: $0, result: .failure($1)) }
        unattributed.removeAll()
        open = 0
        forgetAnswered()
        for outcome in outcomes { try handle(outcome) }
    }
}
