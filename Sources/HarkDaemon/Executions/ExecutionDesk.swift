import Glibc
import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Runs the programs of executions that have fired, and notifies subscribers.
///
/// The engine decides everything about executions. A run is stored as begun before its program starts: so no run
/// happens twice, and none is forgotten. Runs of one execution in one app are sequential; others run concurrently.
@DaemonActor
final class ExecutionDesk: ConfiguredDesk {
    /// The maximum number of programs running at the same time.
    static let maxRunning = 8

    let ledger: Ledger
    private let loop: EventLoop
    /// The daemon's socket, for programs that make requests.
    private let socketPath: String
    private var queue = ExecutionQueue()
    private var running: [ExecutionKey: Running] = [:]
    let topic = Topic<String?>()
    private var isEnding = false

    /// The user whose daemon this is; nil for the daemon of the machine.
    let ownUID: UInt32?
    /// Whether the settings have been applied before.
    var isConfigured = false
    /// Executions of the settings that still have to be validated.
    var toValidate: [Execution] = []
    var isValidating = false

    /// A run that the store knows to have begun, or is just being told about.
    private final class Running {
        var run: ExecutionRun
        var child: ChildProcess?
        /// Whether it was cancelled before its program started.
        var isCancelled = false
        /// How it ended, until the store has accepted that.
        var ended: (state: ExecutionRun.State, note: String?)?
        var isSettling = false

        init(_ run: ExecutionRun) {
            self.run = run
        }
    }

    init(ledger: Ledger, loop: EventLoop, _ options: DaemonOptions) {
        self.ledger = ledger
        self.loop = loop
        socketPath = options.paths.socket
        ownUID = options.isSystem ? nil : getuid()
    }

    /// Loads the due runs, reports runs that were interrupted, and settles those that ended meanwhile.
    func begin() throws(WireError) {
        guard !isEnding else { return }
        for running in Array(running.values) {
            if let ended = running.ended, !running.isSettling { settle(running, ended.state, ended.note) }
        }
        try keepConfigured()
        try reportInterrupted()
        queue = ExecutionQueue()
        pump()
        validate()
    }

    private func reportInterrupted() throws(WireError) {
        for run in try ledger.lookUp({ reader throws(StoreError) in try reader.startedRuns() })
        where running[run.key]?.run.id != run.id {
            Log.warning(
                "the program of an execution was under way when harkd last ended; whether it did its work is not known, and "
                    + "it is not run again", ExecutionDesk.fields(run))
            try end(run, .interrupted, "harkd ended while it ran; whether it did its work is not known")
        }
    }

    /// Ends with the daemon. Running programs are told to end too; the next daemon reports them.
    func end() {
        isEnding = true
        for (_, running) in running { running.child?.terminate() }
    }

    // MARK: After a commit

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        var isPumpNeeded = false
        for case .counters(let row) in changes.value.rows {
            switch row {
            case .putRun(let run, let execution):
                let stored = changes.map { _ in run }
                topic.tell { $0.tell(stored, of: execution) }
                if run.state == .due {
                    // The run may have been read from the store a moment ago, and have begun.
                    if running[run.key]?.run.id != run.id { queue.insert(run) }
                    isPumpNeeded = true
                } else if run.state == .dropped || run.state == .failed {
                    Log.warning("an execution fired in vain: \(run.note ?? "")", ExecutionDesk.fields(run))
                }
            case .cancelRuns(let key, _): cancel { $0.key == key }
            case .keepConfigured(let ids, _):
                let kept = Set(ids)
                cancel { $0.isConfigured && !kept.contains($0.key.id) }
            case .removeCounters(let uid): cancel { uid == nil || uid == $0.key.scope.uid }
            default: break
            }
        }
        if isPumpNeeded { pump() }
    }

    private func cancel(_ isMeant: (ExecutionRun) -> Bool) {
        queue.remove(where: isMeant)
        for running in running.values where isMeant(running.run) { running.isCancelled = true }
    }

    // MARK: Running

    /// Starts runs while there is room.
    private func pump() {
        guard !isEnding else { return }
        do throws(WireError) {
            while running.count < ExecutionDesk.maxRunning {
                if let run = queue.takeFirst(where: { running[$0.key] == nil }) {
                    begin(run)
                } else if let horizon = queue.horizon {
                    let page = try ledger.lookUp { reader throws(StoreError) in
                        try reader.dueRuns(after: horizon, limit: ExecutionQueue.page)
                    }
                    queue.admit(page) { running[$0.key]?.run.id == $0.id }
                } else {
                    return
                }
            }
        } catch {
            // `begin` is called when the store answers again.
            Log.warning("what executions are due could not be looked up: \(error.message)")
        }
    }

    private func begin(_ run: ExecutionRun) {
        self.running[run.key] = Running(run)
        do throws(WireError) {
            try ledger.decide { engine, changes, now in
                engine.startRun(run, now: now, into: &changes)
            }.then { [self] outcome in
                switch outcome {
                case .success(let started): launch(started)
                case .failure(let error): wait(run, error)
                }
            }
        } catch {
            wait(run, error)
        }
    }

    /// Leaves a run due, for `begin` to find.
    private func wait(_ run: ExecutionRun, _ error: WireError) {
        running[run.key] = nil
        Log.warning("an execution waits for the store: \(error.message)", ExecutionDesk.fields(run))
    }

    private func launch(_ started: Stored<ExecutionRun>) {
        let run = started.value
        guard let running = running[run.key] else { return }
        running.run = run
        // A run that begins while the daemon ends is reported as interrupted by the next one, although it never ran.
        guard !isEnding else { return }
        guard !running.isCancelled else { return settle(running, .cancelled, nil) }
        guard let command = ExecutionHook.command(for: started, socketPath: socketPath) else {
            return settle(running, .failed, "it is no program")
        }
        do throws(SystemError) {
            running.child = try ChildProcess(command, on: loop) { [weak self] outcome in
                self?.ended(running, outcome)
            }
        } catch {
            fail(running, "\(error)")
        }
    }

    private func ended(_ running: Running, _ outcome: ChildProcess.Outcome) {
        running.child = nil
        for line in ExecutionHook.lines(of: outcome) { Log.info(line, ExecutionDesk.fields(running.run)) }
        guard !isEnding else { return }
        if let fault = ExecutionHook.fault(of: outcome, running.run) {
            fail(running, fault)
        } else {
            settle(running, .done, nil)
        }
    }

    private func fail(_ running: Running, _ reason: String) {
        Log.warning("the program of an execution failed: \(reason)", ExecutionDesk.fields(running.run))
        settle(running, .failed, reason)
    }

    /// Stores how a run ended. Until that is stored, no other run of its execution starts.
    private func settle(_ running: Running, _ state: ExecutionRun.State, _ note: String?) {
        running.ended = (state, note)
        running.isSettling = true
        do throws(WireError) {
            try end(running.run, state, note).then { [self] outcome in
                running.isSettling = false
                switch outcome {
                case .success:
                    self.running[running.run.key] = nil
                    pump()
                case .failure(let error): unsettled(running, error)
                }
            }
        } catch {
            running.isSettling = false
            unsettled(running, error)
        }
    }

    private func unsettled(_ running: Running, _ error: WireError) {
        Log.warning(
            "how an execution ended could not be noted yet: \(error.message)", ExecutionDesk.fields(running.run))
    }

    @discardableResult
    private func end(
        _ run: ExecutionRun, _ state: ExecutionRun.State, _ note: String?
    ) throws(WireError) -> Decided<Void> {
        try ledger.decide(needing: .execution(run.key.id, in: run.key.scope)) { engine, changes, now in
            engine.endRun(run, state, note: note, now: now, into: &changes)
        }
    }

    private static func fields(_ run: ExecutionRun) -> Log.Fields {
        ["execution": run.key.id.text, "run": run.id.description, "uid": String(run.key.scope.uid)]
    }
}
