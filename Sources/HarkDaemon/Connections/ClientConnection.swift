import HarkStore
import HarkSystem
import HarkWire

/// One client: its lines in, its replies and streams out.
///
/// Replies to writes keep the order of the requests and wait for the commit; replies to reads go out at once.
@DaemonActor
final class ClientConnection {
    let peer: Peer
    let limits: SocketLimits
    /// What this connection has subscribed to, by number.
    private(set) var subscriptions: [Int: any ClientSubscription] = [:]
    private var lastSubscription = 0

    let descriptor: FileDescriptor
    let input: LineBuffer
    var output = OutputQueue()
    var source: IOSource?
    let server: Server
    var isInputOver = false
    /// There may be something to read of which the loop does not tell again.
    var hasArrived = false
    /// The peer sends no more: what can be read ends.
    var isEnding = false
    var isPaused = false
    /// There is more to be dealt with than one turn allows; `LineTurns` sees to it.
    var isWaitingForTurn = false
    /// Nothing more is written: the peer did not read enough of it, or is gone.
    var isMute = false
    private(set) var isClosed = false
    /// The peer has closed its side altogether: nobody reads what it asked for.
    var isGone = false
    /// What it waits for that may be long in coming.
    var waits: [ObjectIdentifier: ClientWait] = [:]
    var deferredCalls = 0
    /// What is counted of what this client is owed.
    var countedBytes = 0
    let memory: UserMemory
    /// In whose name queries are asked.
    let turnOwner: TurnOwner
    /// What all clients of this user had of the loop, and what this one had.
    let turns: UserTurns
    var share = RecentShare()

    /// While so many calls of a client are under way, no further request of it is taken.
    static let deferredAtOnce = 64

    /// Replies that wait for the next commit, and those that wait for the one under way.
    var held = JSONWriter(reservingCapacity: 0)
    var flying: [UInt8] = []
    var isAwaitingCommit = false
    var quickRequests: UInt8 = 0

    /// - Returns: nil when there is no memory for another client.
    init?(_ descriptor: consuming FileDescriptor, peer: Peer, limits: SocketLimits, server: Server) {
        let memory = server.memory.user(peer.uid)
        guard let input = LineBuffer(maxLine: limits.lineBytes, mostLong: limits.lineBytesPerUser, memory: memory)
        else { return nil }
        self.descriptor = descriptor
        self.peer = peer
        self.limits = limits
        self.server = server
        self.input = input
        self.memory = memory
        turnOwner = TurnOwner(uid: peer.uid, client: server.nextClientNumber())
        turns = server.turns.turns(of: peer.uid)
    }

    func open(on loop: EventLoop) throws(SystemError) {
        // The source holds the connection until it is closed.
        source = try loop.watch(descriptor.raw, for: .arrival) { [self] ready in handle(ready) }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        source?.cancel()
        source = nil
        output.clear()
        held.bytes = []
        countOwed()
        server.closed(self)
        endWaits()
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
        if deferredCalls <= ClientConnection.deferredAtOnce / 2 { resume() }
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

extension ClientConnection: CommitWaiter {
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
