package import HarkLedger
import HarkStore
package import HarkSystem
package import HarkWire

/// A client connection: reads its lines, and writes its replies and streams.
///
/// Replies to writes keep the order of the requests and wait for the commit; replies to reads are sent at once.
@DaemonActor
package final class ClientConnection {
    package let peer: Peer
    let limits: SocketLimits
    /// The subscriptions of this connection, by number.
    private(set) var subscriptions: [Int: any ClientSubscription] = [:]
    private var lastSubscription = 0

    let descriptor: FileDescriptor
    let input: LineBuffer
    var output = OutputQueue()
    var source: IOSource?
    package let server: Server
    var isInputOver = false
    /// The socket may have unread data that the loop does not report again.
    var hasArrived = false
    /// The peer sends no more; the readable data ends.
    var isEnding = false
    var isPaused = false
    /// More input is pending than one turn allows; `LineTurns` schedules the rest.
    var isWaitingForTurn = false
    /// Nothing more is written: the peer read too slowly, or is gone.
    var isMute = false
    package private(set) var isClosed = false
    /// The peer has closed the connection in both directions, so nobody reads the replies.
    package var isGone = false
    /// The pending waits of this client that may take long.
    var waits: [ObjectIdentifier: ClientWait] = [:]
    var deferredCalls = 0
    /// Events to be imported that a handler has not decided on yet: those behind them do not overtake them.
    package var importsAhead = 0
    /// How much of this client's unread output has been counted.
    var countedBytes = 0
    let memory: UserMemory
    /// The owner of this client's queries.
    package let turnOwner: TurnOwner
    /// The loop time that all clients of this user have used, and that this client has used.
    let turns: UserTurns
    var share = RecentShare()

    /// The number of calls under way at which no further request of the client is read.
    static let deferredAtOnce = 64

    /// Replies that wait for the next commit, and replies that wait for the current one.
    var held = JSONWriter(reservingCapacity: 0)
    var flying: [UInt8] = []
    var isAwaitingCommit = false
    var quickRequests: UInt8 = 0

    /// - Returns: nil if there is no memory for another client.
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
        // The source retains the connection until it is closed.
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

    // MARK: Calls that take long

    func deferredCallBegins() {
        deferredCalls += 1
        server.callBegins(of: peer.uid)
    }

    func deferredCallEnded() {
        deferredCalls -= 1
        // A call may have been refused before anything was decided.
        if deferredCalls == 0 { importsAhead = 0 }
        server.callEnded(of: peer.uid)
        // Not after every call: reading the socket again costs more than many calls.
        if deferredCalls <= ClientConnection.deferredAtOnce / 2 { resume() }
        if !isClosed { closeWhenDone() }
    }

    // MARK: Subscriptions

    /// Begins a subscription and gives it a number.
    /// - Throws: `tooLarge` if the user has the maximum of subscriptions.
    package func subscribe<Kind: ClientSubscription>(_ make: (Int) -> Kind) throws(WireError) -> Kind {
        try server.checkSubscriptions(of: peer.uid)
        lastSubscription += 1
        let subscription = make(lastSubscription)
        // Nobody would read it, and nobody would end it.
        guard !isMute, !isClosed else { return subscription }
        subscriptions[lastSubscription] = subscription
        subscription.begin()
        return subscription
    }

    package func subscribe<Terms>(to topic: Topic<Terms>, _ terms: Terms) throws(WireError) -> Subscription<Terms> {
        try subscribe { Subscription($0, of: self, to: topic, terms) }
    }

    /// Ends a subscription; false if there is none with that number.
    @discardableResult
    package func end(subscription number: Int) -> Bool {
        guard let subscription = subscriptions.removeValue(forKey: number) else { return false }
        subscription.cancel()
        return true
    }

    func endSubscriptions() {
        for number in subscriptions.keys.sorted() { end(subscription: number) }
    }

    /// Whether the client is owed nothing and will send no more.
    package var isSettled: Bool {
        isInputOver && !isPaused && !isWaitingForTurn && (isMute || output.count == 0 && isAnswered)
    }
}

extension ClientConnection: CommitWaiter {
    package func commitBegins() {
        isAwaitingCommit = false
        swap(&flying, &held.bytes)
        held.bytes.removeAll(keepingCapacity: held.bytes.capacity <= 1 << 18)
    }

    package func commitEnded(_ outcome: Ledger.Outcome) {
        switch outcome {
        case .success: enqueue(flying)
        case .failure(let error): enqueue(HeldReplies.refused(flying, peer.told(WireError(error))))
        }
        flying.removeAll(keepingCapacity: flying.capacity <= 1 << 18)
        countOwed()
        // Later: other waiters still have to hear of this commit, and of the one behind it if both failed.
        if isPaused { DaemonActor.post { self.resume() } }
        if !isClosed { closeWhenDone() }
    }
}
