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
    private(set) var subscriptions: [Int: any ClientSubscription] = [:]
    private var lastSubscription = 0

    private let descriptor: FileDescriptor
    private let input: LineBuffer
    private var output = OutputQueue()
    private var source: IOSource?
    private let server: Server
    private var isInputOver = false
    private var isPaused = false
    /// There is more to be dealt with than one turn allows; `LineTurns` sees to it.
    private var isWaitingForTurn = false
    /// Nothing more is written: the peer did not read enough of it, or is gone.
    private var isMute = false
    private(set) var isClosed = false
    /// The peer has closed its side altogether: nobody reads what it asked for.
    private(set) var isGone = false
    private var deferredCalls = 0
    /// What the server was told that this client is owed.
    private var countedBytes = 0
    /// In whose name queries are asked.
    let turnOwner: TurnOwner
    /// What all clients of this user had of the loop, and what this one had.
    let turns: UserTurns
    private(set) var share = LoopShare()

    /// While so many calls of a client are under way, no further request of it is taken.
    private static let deferredAtOnce = 64

    /// Replies that wait for the next commit, and those that wait for the one under way.
    private var held = JSONWriter(reservingCapacity: 0)
    private var flying: [UInt8] = []
    private var isAwaitingCommit = false
    private var quickRequests: UInt8 = 0

    /// - Returns: nil when there is no memory for another client.
    init?(_ descriptor: consuming FileDescriptor, peer: Peer, limits: SocketLimits, server: Server) {
        let uid = peer.uid
        let input = LineBuffer(maxLine: limits.lineBytes) { more, held in
            server.takeLineMemory(more, of: uid, held: held)
        }
        guard let input else { return nil }
        self.descriptor = descriptor
        self.peer = peer
        self.limits = limits
        self.server = server
        self.input = input
        turnOwner = TurnOwner(uid: peer.uid, client: server.nextClientNumber())
        turns = server.turns.turns(of: peer.uid)
    }

    func open(on loop: EventLoop) throws(SystemError) {
        // The source holds the connection until it is closed.
        source = try loop.watch(descriptor.raw, for: .read) { [self] ready in handle(ready) }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source?.cancel()
        source = nil
        output.clear()
        held.bytes = []
        server.closed(self)
        countOwed()
    }

    // MARK: Input

    private func handle(_ ready: Readiness) {
        if ready.has(.gone), !isGone { peerIsGone() }
        if ready.has(.write) { flush() }
        if !isClosed, ready.has([.read, .hangup, .error]), isListening { read() }
        if !isClosed, isInputOver, !isPaused, ready.has([.hangup, .error]) { close() }
    }

    private var isListening: Bool { !isInputOver && !isPaused && !isWaitingForTurn }

    /// What it has sent is dealt with, but nothing more is looked up for it.
    private func peerIsGone() {
        isGone = true
        server.forget(self)
    }

    private func read() {
        let slice = LoopSlice(microseconds: LineTurns.firstSlice)
        // Who finds the loop free need not wait for a turn.
        guard turns.spent(at: slice.start) < LineTurns.freeMicroseconds else { return wait(isShort: input.isShort) }
        if fill() { work(slice) }
        spend(since: slice, isShort: true)
    }

    private func spend(since slice: LoopSlice, isShort: Bool) {
        let now = SystemClock.monotonicMicroseconds
        let spent = now &- slice.start
        share.spend(spent, at: now)
        turns.spend(spent, at: now, isShort: isShort)
    }

    /// - Returns: whether there is anything new, be it the end.
    private func fill() -> Bool {
        do {
            guard
                let count = try input.fill({ room throws(SystemError) in try descriptor.read(into: room) })
            else { return false }
            if count == 0 { isInputOver = true }
            server.onUse()
            return true
        } catch {
            // The peer is gone (ECONNRESET); what it had sent is dealt with.
            close()
            return false
        }
    }

    /// A slice of the loop for what has not been dealt with yet, and for what comes meanwhile.
    func takeTurn(isShort: Bool) {
        isWaitingForTurn = false
        guard !isClosed, !isPaused else { return }
        let slice = LoopSlice(microseconds: isShort ? LineTurns.firstSlice : LineTurns.slice)
        // What is long makes the next commit long: it waits until there is room. What is short finds some.
        if isShort || !server.ledger.isFull { work(slice) } else { pause() }
        while isListening, !isClosed {
            guard fill() else { break }
            if !input.isShort, server.ledger.isFull { pause() } else { work(slice) }
            if isListening, !isClosed, slice.isOver { wait(isShort: input.isShort) }
        }
        spend(since: slice, isShort: isShort)
        adjustInterest()
    }

    /// Handles the lines that are there, as long as there is room for what they mean, and time.
    private func work(_ slice: LoopSlice) {
        while !isClosed, !isPaused, let item = input.next() {
            var wasQuick = false
            switch item {
            case .line(let line): wasQuick = server.router.handle(line, from: self)
            case .tooLong:
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "a line has at most \(limits.lineBytes) bytes; this one was passed over "
                            + "(limits.lineBytes in harkd.json raises the bound)"))
            case .noMemory:
                reply(
                    .null,
                    WireError(
                        .internalError,
                        "harkd has no memory for a line that long; this one was passed over, try again later"))
            case .noRoom:
                reply(
                    .null,
                    WireError(
                        .tooLarge,
                        "the long lines that clients of this user are sending take \(server.lineMemory(of: peer.uid)) bytes, "
                            + "and may take \(server.limits.lineBytesPerUser); this one was passed over: send fewer at a "
                            + "time (limits.lineBytesPerUser in harkd.json raises the bound)"))
            }
            if isBusy {
                pause()
            } else if !wasQuick || isTimeToLook, slice.isOver, !isClosed {
                return wait(isShort: false)
            }
        }
        if isInputOver, !isPaused, !isClosed {
            if let rest = input.takeRest(), !server.isStopping { server.router.handle(rest, from: self) }
            // That nobody is there any more is told once, and may have been while this had to wait.
            if isGone { return close() }
            adjustInterest()
            closeWhenDone()
        }
    }

    /// Looking at the clock with each of the quickest requests would cost as much as they do.
    private var isTimeToLook: Bool {
        quickRequests &+= 1
        return quickRequests & 15 == 0
    }

    /// - Parameter isShort: what it has sent is dealt with in a moment, as far as one can tell.
    private func wait(isShort: Bool) {
        isWaitingForTurn = true
        adjustInterest()
        server.turns.append(self, isShort: isShort)
    }

    /// The daemon stops: what the client has sent is dealt with, and it can send no more.
    func endInput() {
        do throws(SystemError) {
            try descriptor.endReading()
        } catch {
            close()
        }
    }

    private var isBusy: Bool {
        server.ledger.isFull || deferredCalls >= Connection.deferredAtOnce || heldBytes > limits.queuedBytes / 2
            || deferredCalls > 0 && server.hasManyCalls(of: peer.uid)
    }

    /// Replies that wait for a commit.
    private var heldBytes: Int { held.bytes.count + flying.count }

    private func pause() {
        isPaused = true
        adjustInterest()
        server.pausedConnections[ObjectIdentifier(self)] = self
    }

    /// There may be room again.
    func resume() {
        guard isPaused, !isClosed, !isBusy else { return }
        isPaused = false
        server.pausedConnections[ObjectIdentifier(self)] = nil
        wait(isShort: input.isShort)
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
        guard !isClosed, !isMute else { return }
        write(&held)
        guard isWithinBounds else { return cutOff() }
        if !isAwaitingCommit {
            isAwaitingCommit = true
            server.ledger.await(self)
        }
    }

    /// An error overtakes no reply that still waits for a commit.
    func reply(_ id: RequestID, _ error: WireError) {
        let error = peer.told(error)
        if isAwaitingCommit || !flying.isEmpty {
            hold { Envelope.error(id, error, in: &$0) }
        } else {
            send { Envelope.error(id, error, in: &$0) }
        }
    }

    func enqueue(_ bytes: [UInt8]) {
        guard !isClosed, !isMute else { return }
        let waiting = output.count
        output.append(bytes)
        if waiting == 0 { flush() }
        // One message may be longer than the bound; it is the next that finds it unread.
        if waiting > 0 && output.count > limits.queuedBytes || !isWithinBounds { cutOff() }
    }

    var queuedBytes: Int { output.count }

    /// Whether what all clients of this user are owed is within its bound.
    private var isWithinBounds: Bool {
        countOwed()
        return server.owedBytes(to: peer.uid) <= server.limits.queuedBytesPerUser || countedBytes == 0
    }

    /// Tells the server what this client is owed. Only in steps: it would cost each reply something.
    private func countOwed() {
        let owed = output.count + heldBytes
        guard abs(owed - countedBytes) >= 1 << 16 || owed == 0 && countedBytes > 0 else { return }
        server.noteOwed(owed - countedBytes, to: peer.uid)
        countedBytes = owed
    }

    private func flush() {
        do {
            let isDone = try output.send(to: descriptor)
            countOwed()
            adjustInterest()
            if isDone {
                closeWhenDone()
                for subscription in subscriptions.values { subscription.outputDrained() }
            }
        } catch {
            // The peer reads no more (EPIPE). What it sent before is dealt with all the same.
            silence()
            output.clear()
            adjustInterest()
            closeWhenDone()
        }
    }

    /// The peer does not read: of what waits it gets the rest of the line it has begun to get, and a last error.
    private func cutOff() {
        guard !isMute, !isClosed else { return }
        let error =
            output.count > limits.queuedBytes
            ? WireError(
                .slowReader,
                "more than \(limits.queuedBytes) bytes are waiting for you to read them; read faster, or ask for less "
                    + "(limits.queuedBytes in harkd.json raises the bound)")
            : WireError(
                .slowReader,
                "more than \(server.limits.queuedBytesPerUser) bytes are waiting for the clients of this user to read "
                    + "them; read faster, or ask for less (limits.queuedBytesPerUser in harkd.json raises the bound)")
        var last = JSONWriter()
        for number in subscriptions.keys.sorted() { Subscription.writeClosed(number, error, to: &last) }
        Envelope.error(.null, error, in: &last)
        held.bytes = []
        // With so much the rest of a line is too much as well.
        output.cut(
            last.bytes, keepsLine: server.owedBytes(to: peer.uid) <= 2 * server.limits.queuedBytesPerUser)
        silence()
        isInputOver = true
        input.clear()
        Log.notice("a client that does not read was cut off", ["peer_uid": "\(peer.uid)"])
        server.statistics.slowReaders += 1
        flush()
    }

    private func silence() {
        isMute = true
        endSubscriptions()
    }

    private func closeWhenDone() {
        guard isInputOver, output.count == 0, isMute || isAnswered && subscriptions.isEmpty,
            !isPaused, !isWaitingForTurn
        else { return }
        close()
    }

    /// Whether every request that was taken has its reply in the queue.
    private var isAnswered: Bool { !isAwaitingCommit && flying.isEmpty && deferredCalls == 0 }

    private func adjustInterest() {
        var interest: Interest = []
        if isListening { interest.insert(.read) }
        if output.count > 0 { interest.insert(.write) }
        // Who has stopped sending is watched for its end alone, or a silent subscriber would stay for ever; and who waits,
        // so that nothing is looked up for somebody who is gone.
        if interest.isEmpty { interest = .end }
        source?.setInterest(interest)
    }

    // MARK: Calls that take their time

    func deferredCallBegins() {
        deferredCalls += 1
        server.callBegins(of: peer.uid)
    }

    func deferredCallEnded() {
        deferredCalls -= 1
        server.callEnded(of: peer.uid)
        // Not with every call: looking at the socket again costs more than many a call.
        if deferredCalls <= Connection.deferredAtOnce / 2 { resume() }
        if !isClosed { closeWhenDone() }
    }

    // MARK: Subscriptions

    /// Begins a subscription, under a number of its own.
    /// - Throws: `tooLarge` when the user has as many as one may have.
    func subscribe<Kind: ClientSubscription>(_ make: (Int) -> Kind) throws(WireError) -> Kind {
        try server.checkSubscriptions(of: peer.uid)
        lastSubscription += 1
        let subscription = make(lastSubscription)
        // Nobody would read of it, and nobody end it.
        guard !isMute, !isClosed else { return subscription }
        subscriptions[lastSubscription] = subscription
        subscription.begin()
        return subscription
    }

    /// Ends one of its subscriptions; false when it has none of that number.
    @discardableResult
    func end(subscription number: Int) -> Bool {
        guard let subscription = subscriptions.removeValue(forKey: number) else { return false }
        subscription.cancel()
        return true
    }

    func endSubscriptions() {
        for number in subscriptions.keys.sorted() { end(subscription: number) }
    }

    /// Whether nothing is owed to this client any more, nor will be.
    var isSettled: Bool { isInputOver && !isPaused && !isWaitingForTurn && (isMute || output.count == 0 && isAnswered) }
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
        case .failure(let error): enqueue(HeldReplies.refused(flying, peer.told(WireError(error))))
        }
        flying.removeAll(keepingCapacity: flying.capacity <= 1 << 18)
        countOwed()
        // Not here: others are still to be told of this commit, and of the one behind it should both have failed.
        if isPaused { DaemonActor.post { self.resume() } }
        if !isClosed { closeWhenDone() }
    }
}
