import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Sees to it that counters which follow the run of an app end with it: with its connections, or its processes.
@DaemonActor
final class CounterRuns {
    private let ledger: Ledger
    private let loop: EventLoop
    /// Where counters follow a holder.
    private var scopes: [CounterHolder: Set<Scope>] = [:]
    private var numbers: [ObjectIdentifier: Int64] = [:]
    private var lastNumber: Int64 = 0
    private var watches: [ProcessIdentity: (watch: ProcessWatch, uid: UInt32)] = [:]
    /// What has ended and is not on disk yet.
    private var ending: [CounterHolder: Set<Scope>] = [:]
    private var isStopping = false

    /// Each costs a descriptor.
    static let processesPerUser = 64

    init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    /// Finds the processes again that counters followed before the daemon started, and ends the runs of those that are
    /// gone. Connections of a run before are over by themselves.
    func begin() throws(WireError) {
        let held = try ledger.lookUp { reader throws(StoreError) in try reader.scopesWithHeldCounters() }
        for scope in held {
            try bring(scope)
            let holders = Set(ledger.engine.counters.all(in: scope).flatMap { $0.holders ?? [] })
            for holder in holders {
                scopes[holder, default: []].insert(scope)
                guard case .process(let identity) = holder, watches[identity] == nil else { continue }
                if !find(identity, of: scope.uid) { end(holder) }
            }
        }
    }

    /// Whether the process is still the one it was; then it is watched.
    private func find(_ identity: ProcessIdentity, of uid: UInt32) -> Bool {
        guard identity.startedAt != nil, identity.boot == ProcessWatch.boot else { return false }
        do throws(SystemError) {
            let found = try watch(identity.pid, of: uid)
            // Another that has the id now.
            if found != identity, scopes[.process(found)] == nil { forget(.process(found)) }
            return found == identity
        } catch {
            // It is gone, as a rule.
            return false
        }
    }

    /// The holder of a client's counters that stands for its connection.
    func holder(of connection: Connection) -> CounterHolder {
        let key = ObjectIdentifier(connection)
        if numbers[key] == nil {
            lastNumber += 1
            numbers[key] = lastNumber
        }
        return .connection(numbers[key] ?? 0, run: ledger.engine.counters.run)
    }

    /// The holder of a user's counters that stands for a process.
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

    /// Which process it is, once that is known.
    @DaemonActor
    private final class Box {
        var identity: ProcessIdentity?
    }

    /// Counters of a scope follow this holder from now on, if any does.
    func hold(_ holder: CounterHolder, in scope: Scope, isHeld: Bool) {
        if isHeld { scopes[holder, default: []].insert(scope) }
        if scopes[holder] == nil { forget(holder) }
    }

    private func forget(_ holder: CounterHolder) {
        guard case .process(let identity) = holder else { return }
        watches.removeValue(forKey: identity)?.watch.cancel()
    }

    func connectionEnded(_ connection: Connection) {
        guard let number = numbers.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        end(.connection(number, run: ledger.engine.counters.run))
    }

    private func end(_ holder: CounterHolder) {
        forget(holder)
        guard let places = scopes.removeValue(forKey: holder), !isStopping else { return }
        ending[holder] = places
        finish(holder, places)
    }

    private func finish(_ holder: CounterHolder, _ places: Set<Scope>) {
        do throws(WireError) {
            for scope in places {
                try bring(scope)
                try ledger.decide { engine, changes, _ in engine.endRun(of: holder, in: scope, into: &changes) }
            }
        } catch {
            return Log.warning("the counters of an app that has ended are reset later: \(error.message)")
        }
        let commitment = ledger.commitment()
        DaemonActor.task { [self] in
            do throws(WireError) {
                _ = try await commitment.report()
                ending[holder] = nil
            } catch {
                // `recover()` takes it up.
                return
            }
        }
    }

    /// The store takes commits again.
    func recover() {
        for (holder, places) in ending { finish(holder, places) }
    }

    /// The daemon stops; its clients are about to go, and the next run knows.
    func stop() {
        isStopping = true
        for entry in watches.values { entry.watch.cancel() }
        watches = [:]
    }

    private func bring(_ scope: Scope) throws(WireError) {
        try ledger.bring { reader, engine throws(StoreError) in try reader.bringCounters(of: scope, to: &engine) }
    }
}
