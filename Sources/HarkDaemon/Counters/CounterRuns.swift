import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Ends the counters that follow the run of an app when its connections or processes end.
@DaemonActor
final class CounterRuns: Desk {
    private let ledger: Ledger
    private let loop: EventLoop
    /// The scopes in which counters follow a holder.
    private var scopes: [CounterHolder: Set<Scope>] = [:]
    private var numbers: [ObjectIdentifier: Int64] = [:]
    private var lastNumber: Int64 = 0
    private var watches: [ProcessIdentity: (watch: ProcessWatch, uid: UInt32)] = [:]
    private var isStopping = false

    /// The bound of watched processes per user; each costs a file descriptor.
    static let processesPerUser = 64

    init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    /// Watches the processes that counters follow, and ends the runs of those that are gone. It also ends the runs of
    /// closed connections: all of an earlier run of the daemon, and those whose end the store refused.
    func begin() throws(WireError) {
        guard !isStopping else { return }
        let held = try ledger.lookUp { reader throws(StoreError) in try reader.scopesWithHeldCounters() }
        for scope in held {
            try ledger.decide(needing: .counters(of: scope)) { engine, _, _ in
                Set(engine.counters.all(in: scope).flatMap { $0.holders ?? [] })
            }.note { holders throws(WireError) in
                for holder in holders {
                    if isThere(holder, in: scope) {
                        scopes[holder, default: []].insert(scope)
                    } else {
                        try end(holder, in: scope)
                    }
                }
            }
        }
    }

    private func isThere(_ holder: CounterHolder, in scope: Scope) -> Bool {
        switch holder {
        case .connection(let number, let run): run == ledger.settings.run && numbers.values.contains(number)
        case .process(let identity): watches[identity] != nil || find(identity, of: scope.uid)
        }
    }

    /// Whether the process is still the same one. If so, it is watched.
    private func find(_ identity: ProcessIdentity, of uid: UInt32) -> Bool {
        guard identity.startedAt != nil, identity.boot == ProcessWatch.boot else { return false }
        do throws(SystemError) {
            let found = try watch(identity.pid, of: uid)
            // Another process has this id now.
            if found != identity, scopes[.process(found)] == nil { forget(.process(found)) }
            return found == identity
        } catch {
            // Usually because the process is gone.
            return false
        }
    }

    /// The holder that stands for a client's connection.
    func holder(of connection: ClientConnection) -> CounterHolder {
        let key = ObjectIdentifier(connection)
        if numbers[key] == nil {
            lastNumber += 1
            numbers[key] = lastNumber
        }
        return .connection(numbers[key] ?? 0, run: ledger.settings.run)
    }

    /// The holder that stands for a process of a user.
    func holder(ofProcess pid: Int32, of uid: UInt32) throws(WireError) -> CounterHolder {
        let known = watches.values.count { $0.uid == uid }
        let identity: ProcessIdentity
        do throws(SystemError) {
            identity = try watch(pid, of: uid)
        } catch {
            throw WireError(
                .notFound, "there is no process \(pid) that could be watched (\(error)); name one that runs",
                path: Params.path("pid"))
        }
        let holder = CounterHolder.process(identity)
        guard known < Self.processesPerUser || scopes[holder] != nil else {
            forget(holder)
            throw WireError(
                .tooLarge,
                "this user's counters follow \(Self.processesPerUser) processes already; wait until one ends, or let them "
                    + "follow a connection (\"run\": \"connection\")", path: Params.path("pid"))
        }
        return holder
    }

    private func watch(_ pid: Int32, of uid: UInt32) throws(SystemError) -> ProcessIdentity {
        let box = Box()
        let watch = try ProcessWatch(pid: pid, on: loop) { [weak self] in
            if let identity = box.identity { self?.end(.process(identity)) }
        }
        let identity = ProcessIdentity(pid: pid, startedAt: watch.startedAt, boot: ProcessWatch.boot)
        guard watches[identity] == nil else {
            watch.cancel()
            return identity
        }
        box.identity = identity
        watches[identity] = (watch, uid)
        return identity
    }

    /// The identity of the process, once it is known.
    @DaemonActor
    private final class Box {
        var identity: ProcessIdentity?
    }

    /// Notes whether counters of a scope follow this holder from now on.
    func hold(_ holder: CounterHolder, in scope: Scope, isHeld: Bool) {
        if isHeld { scopes[holder, default: []].insert(scope) }
        if scopes[holder] == nil { forget(holder) }
    }

    private func forget(_ holder: CounterHolder) {
        guard case .process(let identity) = holder else { return }
        watches.removeValue(forKey: identity)?.watch.cancel()
    }

    func connectionEnded(_ client: ObjectIdentifier) {
        guard let number = numbers.removeValue(forKey: client) else { return }
        end(.connection(number, run: ledger.settings.run))
    }

    private func end(_ holder: CounterHolder) {
        forget(holder)
        guard let places = scopes.removeValue(forKey: holder), !isStopping else { return }
        do throws(WireError) {
            for scope in places { try end(holder, in: scope) }
        } catch {
            Log.warning("the counters of an app that has ended are reset later: \(error.message)")
        }
    }

    private func end(_ holder: CounterHolder, in scope: Scope) throws(WireError) {
        try ledger.decide(needing: .counters(of: scope)) { engine, changes, _ in
            engine.endRun(of: holder, in: scope, into: &changes)
        }
    }

    /// Stops watching because the daemon stops. Its clients are about to disconnect; the next run ends their counters.
    func end() {
        isStopping = true
        for entry in watches.values { entry.watch.cancel() }
        watches = [:]
    }
}
