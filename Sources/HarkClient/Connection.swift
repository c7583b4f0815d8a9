import Glibc
import HarkWire

/// A blocking connection to the daemon, for requests and replies or a stream of notifications.
///
/// Owns its descriptor. Notifications that arrive during the wait for a reply are kept for `nextNotification`.
package struct Connection: ~Copyable {
    package private(set) var descriptor: CInt
    /// The address that it is connected to.
    private var place: SocketAddress?
    private var hasSent = false
    private var reader: LineReader
    private var nextID: Int64 = 1
    private var held: [(method: String, params: JSONText)] = []

    /// The timeout for a reply in seconds; nil for none.
    package var patience: Double? = 60

    /// Called once when a reply takes longer than three seconds. An interactive program sets it before its first
    /// connection.
    package nonisolated(unsafe) static var whenSlow: ((String) -> Void)?
    private static let slow = 3.0

    /// Called with the parts missing from a reply because the store is damaged. Set in the same way.
    package nonisolated(unsafe) static var whenIncomplete: ((String) -> Void)?

    /// Connects to the first address that has a socket.
    ///
    /// - Parameter patience: The timeout in seconds while the daemon's queue of new connections is full; nil for none.
    package init(
        to places: [SocketAddress] = SocketAddress.candidates(), patience: Double? = nil
    ) throws(ClientError) {
        switch SocketAddress.connect(to: places, patience: patience) {
        case .success(let (descriptor, place)):
            self.init(adopting: descriptor)
            self.place = place
        case .failure(let failure): throw Self.unreachable(failure.tried)
        }
    }

    /// Takes ownership of a connected descriptor.
    package init(adopting descriptor: CInt, readCapacity: Int = 4096) {
        self.descriptor = descriptor
        reader = LineReader(capacity: readCapacity)
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request and waits for its reply. Returns the `result`, or throws the daemon's error.
    ///
    /// - Parameter params: The JSON text of the params object. It is an array, as a generic call from another module
    ///   would look up conformances at run time, which takes a fifth of the time to record one event.
    package mutating func call(_ method: String, _ params: [UInt8]) throws(ClientError) -> JSONText {
        try result(of: try submit(method, params))
    }

    /// Sends a request. `result(of:)` waits for its reply.
    package mutating func submit(_ method: String, _ params: [UInt8]) throws(ClientError) -> Int64 {
        let id = nextID
        nextID += 1
        var request: [UInt8] = []
        request.reserveCapacity(params.count + 80)
        RequestLine.append(to: &request, id: id, method: method, params: params)
        try send(request)
        return id
    }

    /// Waits for the reply to the oldest request that is still unanswered.
    package mutating func result(of id: Int64) throws(ClientError) -> JSONText {
        while true {
            switch try Incoming(try receive(within: patience)) {
            case .result(let replied, let result) where replied == id:
                tellOfDamage(result)
                return result
            case .error(let replied, let error) where replied == id || replied == nil: throw error
            case .notification(let method, let params): held.append((method, params))
            case .result, .error: continue
            }
        }
    }

    /// Warnings are the last member, so that frequent results need no search for them.
    private func tellOfDamage(_ result: JSONText) {
        guard let tell = Self.whenIncomplete, result.bytes.suffix(3).elementsEqual("\"]}".utf8) else { return }
        for text in WarningList(result).warnings ?? [] where text.hasPrefix(DamageWarning.prefix) { tell(text) }
    }

    /// Waits for the next notification; nil if none arrives within `seconds` (nil for no timeout).
    package mutating func nextNotification(
        within seconds: Double? = nil
    ) throws(ClientError) -> (method: String, params: JSONText)? {
        if !held.isEmpty { return held.removeFirst() }
        while true {
            let line: ArraySlice<UInt8>
            do {
                line = try receive(within: seconds)
            } catch  where error.code == .timedOut {
                return nil
            }
            switch try Incoming(line) {
            case .notification(let method, let params): return (method, params)
            case .error(nil, let error): throw error
            case .result, .error: continue
            }
        }
    }

    /// Drops notifications that arrived during the wait for a reply.
    package mutating func dropHeld(where isMeant: (_ params: JSONText) -> Bool) {
        held.removeAll { isMeant($0.params) }
    }

    /// Whether a complete line is buffered, so that the next notification needs no system call.
    package mutating func hasNotification() -> Bool {
        !held.isEmpty || reader.hasLine
    }

    package mutating func send(_ bytes: [UInt8]) throws(ClientError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
                hasSent = true
            } else if errno != EINTR {
                let code = errno
                guard code == EPIPE, !hasSent, connectAnew() else { throw Self.broken(code) }
            }
        }
    }

    /// Connects again after a daemon ended before the first request was sent. With a systemd socket, the next daemon
    /// answers. No request is repeated, because none has reached it.
    private mutating func connectAnew() -> Bool {
        guard case .success(let anew)? = place?.connect() else { return false }
        close(descriptor)
        descriptor = anew
        // A second failure is a different problem.
        place = nil
        return true
    }

    private mutating func receive(within seconds: Double?) throws(ClientError) -> ArraySlice<UInt8> {
        let descriptor = self.descriptor
        while true {
            if let line = reader.next() { return line }
            if let seconds { try wait(seconds) }
            switch reader.fill({ recv(descriptor, $0, $1, 0) }) {
            case .bytes, .nothing: continue
            case .end: throw Self.closed
            case .failed(let code): throw Self.broken(code)
            case .tooLong: throw ClientError(.malformedReply, "the daemon's reply is longer than \(64) MiB")
            }
        }
    }

    private func wait(_ seconds: Double) throws(ClientError) {
        let first = Self.whenSlow == nil ? seconds : min(seconds, Self.slow)
        if hasInput(within: first) { return }
        if seconds > first {
            Self.whenSlow?(
                "the daemon\(place.map { " at \($0.path)" } ?? "") has not answered for \(Int(first)) s: it is busy or stopped. "
                    + "Waiting up to \(Int(seconds.rounded(.up))) s; 'hark doctor' looks into it.")
            if hasInput(within: seconds - first) { return }
        }
        throw ClientError(
            .timedOut, "the daemon did not answer within \(Int(seconds.rounded(.up))) s",
            hint: "It may still do what was asked. 'hark doctor' looks into what keeps it.")
    }

    private func hasInput(within seconds: Double) -> Bool {
        Input.wait(for: descriptor, atMost: CInt(seconds * 1000)).contains(true)
    }

    static let closed = ClientError(
        .disconnected, "the daemon closed the connection before it answered",
        hint: """
            It may or may not have done what was asked. 'hark status' tells whether it is up again, and \
            'journalctl --user -u harkd' (of the machine's daemon: 'journalctl -u harkd') what it said.
            """)

    static func broken(_ code: CInt) -> ClientError {
        if code == EPIPE || code == ECONNRESET { return closed }
        return ClientError(.disconnected, "the connection to the daemon broke: \(String(cString: strerror(code)))")
    }

    private static func unreachable(_ tried: [(path: String, failure: SocketFailure)]) -> ClientError {
        let places = tried.map { "  \($0.path): \($0.failure.text)" }.joined(separator: "\n")
        if tried.last?.failure.errno == EACCES {
            return ClientError(
                .forbidden, "this user may not talk to the daemon; tried\n\(places)",
                hint: "The daemon of another user is closed to you. Start your own, or name its socket in HARK_SOCKET.")
        }
        if tried.count == 1, SocketAddress.hasChosenOwn {
            return ClientError(
                .notRunning, "this account's own daemon does not answer; tried\n\(places)",
                hint: """
                    It was enabled with 'systemctl --user enable harkd.socket', so no other is asked. While you are logged in, \
                    'systemctl --user start harkd.socket' starts it; 'loginctl enable-linger' keeps it there when you are not. \
                    'systemctl --user disable --now harkd.socket' takes the choice back.
                    """)
        }
        return ClientError(
            .notRunning, "no daemon answers; tried\n\(places)",
            hint: """
                Start it with 'systemctl --user start harkd' (for every user: 'sudo systemctl start harkd'), or run \
                'harkd' in a terminal. If it does not come up, 'journalctl --user -u harkd' (for every user: \
                'sudo journalctl -u harkd') says why. HARK_SOCKET names another socket.
                """)
    }
}
