import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Accepts clients, keeps their number in bounds and knows them all.
@DaemonActor
final class Server {
    let ledger: Ledger
    let statistics = ServerStatistics()
    let router: Router
    private(set) var connections: [ObjectIdentifier: ClientConnection] = [:]
    var pausedConnections: [ObjectIdentifier: ClientConnection] = [:]
    /// No client is taken any more, and those there are send no more.
    private(set) var isStopping = false
    var limits: SocketLimits { didSet { memory.most = limits.clientBytes } }
    let turns: LineTurns
    /// Called for each client that is gone.
    var onClosed: (ClientConnection) -> Void = { _ in }
    /// Called whenever a client sends something.
    var onUse: () -> Void = {}
    /// Whether there are machines, whose uids are nobody else's.
    var isHub: () -> Bool = { false }
    private let access: AccessPolicy
    private let loop: EventLoop
    private var listeners: [(socket: ListeningSocket, source: IOSource)] = []
    private var connectionsOf: [UInt32: Int] = [:]
    /// What all clients make the daemon keep.
    let memory: ClientMemory
    /// How many clients there may be, as each has an open file; known once the daemon has opened its own.
    private var mostConnections = Int.max
    /// When buffers that nobody needs were given back last.
    private var reclaimedAt: UInt64 = 0
    /// One row of numbers for the whole process: the threads that give turns by them are the process's.
    private static var lastClientNumber: UInt64 = 0
    /// Calls under way of each user.
    private var callsOf: [UInt32: Int] = [:]

    /// While so many calls of a user are under way, clients of theirs that have one wait with the next.
    private static let callsAtOnce = 256
    /// Accepting rests for a while when the process has no descriptor left.
    private var breather: TimerSource?

    init(loop: EventLoop, ledger: Ledger, router: Router, access: AccessPolicy, limits: SocketLimits) {
        self.loop = loop
        turns = LineTurns(loop)
        self.ledger = ledger
        self.router = router
        self.access = access
        self.limits = limits
        memory = ClientMemory(most: limits.clientBytes)
    }

    func listen(on socket: ListeningSocket) throws(SystemError) {
        // The daemon ends every listener in `stop`, and takes the server with it.
        let source = try loop.watch(socket.raw, for: .read) { [weak self] _ in self?.accept(from: socket) }
        listeners.append((socket, source))
    }

    /// So many clients are taken at a time; those behind them come with the loop's next turn.
    private static let acceptedAtOnce = 64

    private func accept(from socket: ListeningSocket, atMost count: Int = Server.acceptedAtOnce) {
        do {
            for _ in 0..<count {
                guard let accepted = try socket.accept() else { return }
                welcome(accepted)
            }
        } catch {
            // Out of descriptors or memory: those who wait stay in the backlog.
            Log.warning("cannot accept a client for now: \(error)")
            rest()
        }
    }

    private func rest() {
        for listener in listeners { listener.source.setInterest([]) }
        do {
            let timer =
                try breather
                ?? loop.timer(clock: .monotonic, accuracyMicroseconds: 50_000) { [weak self] in
                    for listener in self?.listeners ?? [] { listener.source.setInterest(.read) }
                }
            breather = timer
            timer.arm(afterMicroseconds: 500_000)
        } catch {
            for listener in listeners { listener.source.setInterest(.read) }
        }
    }

    private func welcome(_ accepted: consuming AcceptedConnection) {
        let credentials = accepted.peer
        let descriptor = accepted.takeDescriptor()
        guard let peer = access.admit(credentials) else {
            refuse(
                descriptor,
                WireError(
                    .permissionDenied,
                    "this harkd serves uid \(access.ownUID) alone; start one of your own, or use the system's"))
            return
        }
        guard !MachineIdentity.isMachine(uid: peer.uid) || !isHub() else {
            refuse(
                descriptor,
                WireError(
                    .permissionDenied,
                    "on this hub, uids from \(MachineIdentity.firstUID) on stand for machines; use an account with a lower one"
                ))
            return
        }
        guard connectionsOf[peer.uid, default: 0] < limits.connectionsPerUser else {
            refuse(
                descriptor,
                WireError(
                    .tooManyConnections,
                    "this user has \(limits.connectionsPerUser) connections already; close some "
                        + "(limits.connectionsPerUser in harkd.json raises the bound)"))
            return
        }
        // A user may have as many as are left for all others: however many take what they can get, there are some left.
        guard connectionsOf[peer.uid, default: 0] < max(1, mostConnections - connections.count),
            connections.count < mostConnections
        else {
            refuse(
                descriptor,
                WireError(
                    .tooManyConnections,
                    "harkd may have \(mostConnections) connections, and all users together have \(connections.count); "
                        + "close some of yours, or try again later (a higher limit of open files allows more: LimitNOFILE= "
                        + "in the unit, or ulimit -n)"))
            return
        }
        guard let connection = ClientConnection(descriptor, peer: peer, limits: limits, server: self) else {
            Log.warning("no memory for another client")
            return
        }
        do {
            try connection.open(on: loop)
            connectionsOf[peer.uid, default: 0] += 1
            connections[ObjectIdentifier(connection)] = connection
            statistics.accepted += 1
        } catch {
            Log.warning("cannot watch a client: \(error)")
        }
    }

    /// Tells a client why it is turned away.
    private func refuse(_ descriptor: borrowing FileDescriptor, _ error: WireError) {
        statistics.turnedAway += 1
        var json = JSONWriter()
        Envelope.error(.null, error, in: &json)
        do {
            _ = try descriptor.write(contentsOf: json.bytes)
        } catch {
            // It did not wait for the answer.
            return
        }
    }

    func closed(_ connection: ClientConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        pausedConnections[ObjectIdentifier(connection)] = nil
        connection.endSubscriptions()
        forget(connection)
        ledger.clientLeft()
        onClosed(connection)
        let left = (connectionsOf[connection.peer.uid] ?? 1) - 1
        connectionsOf[connection.peer.uid] = left == 0 ? nil : left
        if left == 0 {
            turns.forget(connection.peer.uid)
            memory.forget(connection.peer.uid)
        }
    }

    /// - Throws: when a user has as many subscriptions, over all connections, as one may have.
    func checkSubscriptions(of uid: UInt32) throws(WireError) {
        let count = connections.values.reduce(0) { $0 + ($1.peer.uid == uid ? $1.subscriptions.count : 0) }
        guard count < limits.subscriptionsPerUser else {
            throw WireError(
                .tooLarge,
                "this user has \(limits.subscriptionsPerUser) subscriptions already; cancel some "
                    + "(limits.subscriptionsPerUser in harkd.json raises the bound)")
        }
    }

    /// Leaves files for the store, programs and requests to servers: clients get three quarters of what may still be opened.
    func leaveFiles() {
        guard let (count, most) = OpenFiles.standing else { return }
        mostConnections = max(1, most - count - max(8, min(256, (most - count) / 4)))
    }

    /// Somebody is short of memory: what others have room for and do not need now is given back.
    func reclaim() {
        let now = SystemClock.monotonicMicroseconds
        guard now >= reclaimedAt &+ 1_000_000 else { return }
        reclaimedAt = now
        for connection in connections.values { connection.input.shrink() }
    }

    func nextClientNumber() -> UInt64 {
        Server.lastClientNumber += 1
        return Server.lastClientNumber
    }

    func hasManyCalls(of uid: UInt32) -> Bool { callsOf[uid, default: 0] >= Server.callsAtOnce }

    func callBegins(of uid: UInt32) { callsOf[uid, default: 0] += 1 }

    func callEnded(of uid: UInt32) {
        let left = callsOf[uid, default: 1] - 1
        callsOf[uid] = left > 0 ? left : nil
    }

    /// Nothing is looked up any more for a client who is gone.
    func forget(_ connection: ClientConnection) {
        ledger.store.forget(connection.turnOwner)
        DocumentThread.forget(connection.turnOwner)
    }

    /// The ledger has room again.
    func resumePaused() {
        for connection in Array(pausedConnections.values) { connection.resume() }
    }

    /// Whether every client has got its replies, or does not take them.
    var isSettled: Bool { connections.values.allSatisfy(\.isSettled) }

    func closeAll() {
        for connection in Array(connections.values) { connection.close() }
    }

    /// Takes no new clients and no new requests; what clients have sent so far is read to its end.
    func stop() throws(SystemError) {
        isStopping = true
        defer { for connection in Array(connections.values) { connection.endInput() } }
        for listener in listeners {
            listener.source.cancel()
            try listener.socket.close()
            // Whoever has connected already is served; at a socket of systemd's, by the next daemon.
            if !listener.socket.isAdopted { accept(from: listener.socket, atMost: .max) }
        }
        listeners = []
    }
}

/// What happened at the socket since the start.
@DaemonActor
final class ServerStatistics {
    var accepted = 0
    var turnedAway = 0
    var slowReaders = 0
    /// Requests that were answered with an error, or would have been if they had wanted an answer.
    var refused = 0
}
