import HarkCore
package import HarkLedger
import HarkStore
package import HarkSystem
import HarkWire

/// Accepts clients, limits their number and holds all connections.
@DaemonActor
package final class Server {
    package let ledger: Ledger
    package let statistics = ServerStatistics()
    package let router: Router
    package private(set) var connections: [ObjectIdentifier: ClientConnection] = [:]
    var pausedConnections: [ObjectIdentifier: ClientConnection] = [:]
    /// No client is accepted any more, and the connected ones can send no more.
    private(set) var isStopping = false
    package var limits: SocketLimits { didSet { memory.most = limits.clientBytes } }
    package let turns: LineTurns
    /// Called for each client that has disconnected.
    package var onClosed: (ClientConnection) -> Void = { _ in }
    /// Called whenever a client sends something.
    package var onUse: () -> Void = {}
    /// Whether this daemon is a hub, where the uids of machines belong to no local user.
    package var isHub: () -> Bool = { false }
    private let access: AccessPolicy
    private let loop: EventLoop
    private var listeners: [(socket: ListeningSocket, source: IOSource)] = []
    private var connectionsOf: [UInt32: Int] = [:]
    /// The memory that all clients occupy.
    let memory: ClientMemory
    /// The maximum number of clients, because each has an open file; known once the daemon has opened its own files.
    private var mostConnections = Int.max
    /// When unused buffers were last given back.
    private var reclaimedAt: UInt64 = 0
    /// Shared by the whole process, because the threads that take turns by these numbers are.
    private static var lastClientNumber: UInt64 = 0
    /// The number of calls under way of each user.
    private var callsOf: [UInt32: Int] = [:]

    /// The number of calls under way of a user at which clients that have one wait before the next.
    private static let callsAtOnce = 256
    /// The timer that pauses accepting when the process has no file descriptor left.
    private var breather: TimerSource?

    package init(loop: EventLoop, ledger: Ledger, router: Router, access: AccessPolicy, limits: SocketLimits) {
        self.loop = loop
        turns = LineTurns(loop)
        self.ledger = ledger
        self.router = router
        self.access = access
        self.limits = limits
        memory = ClientMemory(most: limits.clientBytes)
    }

    package func listen(on socket: ListeningSocket) throws(SystemError) {
        // `stop` ends every listener, and the daemon releases the server then.
        let source = try loop.watch(socket.raw, for: .read) { [weak self] _ in self?.accept(from: socket) }
        listeners.append((socket, source))
    }

    /// The number of clients accepted in one turn of the loop; the rest follow in the next.
    private static let acceptedAtOnce = 64

    private func accept(from socket: ListeningSocket, atMost count: Int = Server.acceptedAtOnce) {
        do {
            for _ in 0..<count {
                guard let accepted = try socket.accept() else { return }
                welcome(accepted)
            }
        } catch {
            // Out of descriptors or memory: waiting clients stay in the backlog.
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
        // A user may have as many as are left for all others: however many users take all they can, some are left.
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

    /// Tells a client why it is rejected.
    private func refuse(_ descriptor: borrowing FileDescriptor, _ error: WireError) {
        statistics.turnedAway += 1
        var json = JSONWriter()
        Envelope.error(.null, error, in: &json)
        do {
            _ = try descriptor.write(contentsOf: json.bytes)
        } catch {
            // The client did not wait for the answer.
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

    /// - Throws: If a user has the maximum of subscriptions over all connections.
    func checkSubscriptions(of uid: UInt32) throws(WireError) {
        let count = connections.values.reduce(0) { $0 + ($1.peer.uid == uid ? $1.subscriptions.count : 0) }
        guard count < limits.subscriptionsPerUser else {
            throw WireError(
                .tooLarge,
                "this user has \(limits.subscriptionsPerUser) subscriptions already; cancel some "
                    + "(limits.subscriptionsPerUser in harkd.json raises the bound)")
        }
    }

    /// Reserves files for the store, programs and requests to servers: clients get three quarters of the files left.
    package func leaveFiles() {
        guard let (count, most) = OpenFiles.usage else { return }
        mostConnections = max(1, most - count - max(8, min(256, (most - count) / 4)))
    }

    /// Gives back the unused memory of all clients, because one is short of it.
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

    /// Drops the pending queries of a client that is gone.
    func forget(_ connection: ClientConnection) {
        ledger.store.forget(connection.turnOwner)
        DocumentThread.forget(connection.turnOwner)
    }

    /// Resumes paused clients, because the ledger has room again.
    package func resumePaused() {
        for connection in Array(pausedConnections.values) { connection.resume() }
    }

    /// Whether every client has got its replies, or does not read them.
    package var isSettled: Bool { connections.values.allSatisfy(\.isSettled) }

    package func closeAll() {
        for connection in Array(connections.values) { connection.close() }
    }

    /// Accepts no new clients and no new requests; what clients have sent so far is read to its end.
    package func stop() throws(SystemError) {
        isStopping = true
        defer { for connection in Array(connections.values) { connection.endInput() } }
        for listener in listeners {
            listener.source.cancel()
            try listener.socket.close()
            // Clients in the backlog are served now; at a socket owned by systemd, the next daemon serves them.
            if !listener.socket.isAdopted { accept(from: listener.socket, atMost: .max) }
        }
        listeners = []
    }
}

/// The counts of socket events since the start.
@DaemonActor
package final class ServerStatistics {
    package var accepted = 0
    package var turnedAway = 0
    package var slowReaders = 0
    /// Requests that failed, whether or not they wanted a reply.
    package var refused = 0
}
