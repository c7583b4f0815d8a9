import HarkStore
import HarkSystem
import HarkWire

/// One client: its lines in, its replies and streams out.
///
/// Replies to writes keep the order of the requests and wait for the commit; replies to reads go out at once.
@DaemonActor
final class Connection {
    let peer: Peer
    let limits: SocketLimits
    /// What this connection has subscribed to, by number.
    var subscriptions: [Int: Subscription] = [:]
    private var lastSubscription = 0

    private let descriptor: FileDescriptor
    private let input: LineBuffer
    private var output = OutputQueue()
    private var source: IOSource?
    private let server: Server
    private var isInputOver = false
    private var isPaused = false
    private(set) var isClosed = false
    private var deferredCalls = 0

    /// Replies that wait for the next commit, and those that wait for the one under way.
    private var held = JSONWriter(reservingCapacity: 0)
    private var flying: [UInt8] = []
    private var isAwaitingCommit = false

    init(_ descriptor: consuming FileDescriptor, peer: Peer, limits: SocketLimits, server: Server) {
        self.descriptor = descriptor
        self.peer = peer
        self.limits = limits
        self.server = server
        input = LineBuffer(maxLine: limits.lineBytes)
    }

    func open(on loop: EventLoop) throws(SystemError) {
        source = try loop.watch(descriptor.raw, for: .read) { [unowned self] ready in handle(ready) }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source?.cancel()
        source = nil
        server.closed(self)
    }

    // MARK: Input

    private func handle(_ ready: Readiness) {
        if ready.has(.write) { flush() }
        if !isClosed, ready.has([.read, .hangup, .error]), !isInputOver { read() }
        if !isClosed, isInputOver, ready.has([.hangup, .error]) { close() }
    }

    private func read() {
        do {
            guard
                let count = try input.fill({ room throws(SystemError) in try descriptor.read(into: room) })
            else { return }
            if count == 0 { isInputOver = true }
            work()
        } catch {
            // The peer is gone (ECONNRESET); what it had sent is dealt with.
            close()
        }
    }

    /// Handles the lines that are there, as long as there is room for what they mean.
    private func work() {
        while !isClosed, !isPaused, let item = input.next() {
            switch item {
            case .line(let line): server.router.handle(line, from: self)
            case .tooLong:
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "a line has at most \(limits.lineBytes) bytes; this one was passed over "
                            + "(limits.lineBytes in harkd.json raises the bound)"))
            }
            if server.ledger.isFull { pause() }
        }
        if isInputOver, !isPaused, !isClosed {
            if let rest = input.takeRest() { server.router.handle(rest, from: self) }
            adjustInterest()
            closeWhenDone()
        }
    }

    /// The daemon stops: what has arrived is dealt with, what comes later is not read.
    func takeLastLines() {
        isPaused = false
        while !isClosed, !isInputOver {
            do throws(SystemError) {
                let count = try input.fill { room throws(SystemError) in try descriptor.read(into: room) }
                guard let count, count > 0 else { break }
                work()
            } catch {
                close()
            }
        }
        isPaused = true
        if !isClosed { adjustInterest() }
    }

    private func pause() {
        isPaused = true
        adjustInterest()
        server.pausedConnections.append(self)
    }

    /// There is room again.
    func resume() {
        guard isPaused, !isClosed else { return }
        isPaused = false
        adjustInterest()
        work()
    }

    // MARK: Output

    /// Writes a reply that nothing has to be safe for.
    func send(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        enqueue(json.bytes)
    }

    /// Writes a reply that goes out, in order, once everything decided so far is on disk.
    func hold(_ write: (inout JSONWriter) -> Void) {
        write(&held)
        if !isAwaitingCommit {
            isAwaitingCommit = true
            server.ledger.await(self)
        }
    }

    /// An error overtakes no reply that still waits for a commit.
    func reply(_ id: RequestID, _ error: WireError) {
        if isAwaitingCommit || !flying.isEmpty {
            hold { Envelope.error(id, error, in: &$0) }
        } else {
            send { Envelope.error(id, error, in: &$0) }
        }
    }

    func enqueue(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        let wasEmpty = output.count == 0
        output.append(bytes)
        if output.count > limits.queuedBytes {
            cutOff()
        } else if wasEmpty {
            flush()
        }
    }

    var queuedBytes: Int { output.count }

    private func flush() {
        do {
            let isDone = try output.send(to: descriptor)
            adjustInterest()
            if isDone {
                closeWhenDone()
                for subscription in subscriptions.values { subscription.outputDrained() }
            }
        } catch {
            close()
        }
    }

    /// The peer does not read: it gets a last error, as far as the socket takes it, and is gone.
    private func cutOff() {
        let error = WireError(
            .slowReader,
            "more than \(limits.queuedBytes) bytes are waiting for you to read them; read faster, or ask for less "
                + "(limits.queuedBytes in harkd.json raises the bound)")
        var last = JSONWriter()
        for number in subscriptions.keys.sorted() { Subscription.writeClosed(number, error, to: &last) }
        Envelope.error(.null, error, in: &last)
        output.cut(last.bytes)
        // What the socket does not take now, nobody would read.
        _ = try? output.send(to: descriptor)
        Log.notice("a client that does not read was cut off", ["peer_uid": "\(peer.uid)"])
        server.statistics.slowReaders += 1
        close()
    }

    private func closeWhenDone() {
        guard isInputOver, output.count == 0, !isAwaitingCommit, flying.isEmpty, deferredCalls == 0,
            subscriptions.isEmpty
        else { return }
        close()
    }

    private func adjustInterest() {
        var interest: Interest = []
        if !isInputOver, !isPaused { interest.insert(.read) }
        if output.count > 0 { interest.insert(.write) }
        source?.setInterest(interest)
    }

    // MARK: Calls that take their time

    func deferredCallBegins() { deferredCalls += 1 }

    func deferredCallEnded() {
        deferredCalls -= 1
        if !isClosed { closeWhenDone() }
    }

    func nextSubscriptionNumber() -> Int {
        lastSubscription += 1
        return lastSubscription
    }

    /// Whether nothing is owed to this client any more.
    var isSettled: Bool { output.count == 0 && !isAwaitingCommit && flying.isEmpty && deferredCalls == 0 }
}

extension Connection: CommitWaiter {
    func commitBegins() {
        isAwaitingCommit = false
        swap(&flying, &held.bytes)
        held.bytes.removeAll(keepingCapacity: held.bytes.capacity <= 1 << 18)
    }

    func commitEnded(_ outcome: Ledger.Outcome) {
        switch outcome {
        case .success: enqueue(flying)
        case .failure(let error): enqueue(HeldReplies.refused(flying, WireError(error)))
        }
        flying.removeAll(keepingCapacity: flying.capacity <= 1 << 18)
        if !isClosed { closeWhenDone() }
    }
}
