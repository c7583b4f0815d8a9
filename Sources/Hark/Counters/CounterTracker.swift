internal import HarkClient
internal import HarkWire
internal import Synchronization

/// Counts things and runs code when a condition on the counts holds.
///
/// The counters live in the daemon, so all programs of the app share them. Conditions and code are closures of this
/// program. A condition is evaluated whenever one of its counters is triggered or set, by any program.
///
/// ```swift
/// let tracker = CounterTracker.shared
/// try await tracker.register("opens", scope: .app)
/// tracker.addExecution(id: "invite", listeningTo: ["opens", "shares"]) { values in
///     values.integer(for: "opens") == 3 && values.integer(for: "shares") == 2
/// } perform: { _, _ in
///     print("Tell a friend?")
/// }
/// tracker.trigger("opens")
/// ```
public final class CounterTracker: Sendable {
    /// When a counter is reset to its initial value.
    public enum Scope: String, Sendable, CaseIterable {
        /// When the app goes to the background or its session ends.
        case instance
        /// When the daemon restarts, or with the program that registered the counter: see `Run`.
        case session
        /// Never automatically.
        case app
    }

    /// The run that limits the lifetime of a counter.
    public enum Run: Sendable, Hashable, CaseIterable {
        /// The run of the daemon.
        case daemon
        /// The runs of the programs that registered the counter so: until the last of them ends, across restarts of the
        /// daemon.
        case program
    }

    /// The counters of `EventRecorder.shared`.
    public static let shared = CounterTracker(.shared)

    private let recorder: EventRecorder
    private let executions = Mutex(HeldExecutions())
    private let mirror: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Creates a tracker for the counters of a recorder's app, over the recorder's connection.
    public init(_ recorder: EventRecorder) {
        self.recorder = recorder
    }

    deinit { mirror.withLock { $0?.cancel() } }

    // MARK: Counters

    /// Registers a counter. Only the first registration in a run counts, and a counter of scope `app` keeps its value.
    /// - Parameters:
    ///   - initial: The initial value.
    ///   - scope: When the counter is reset to its initial value.
    ///   - run: The run that limits the lifetime of a counter of scope `session`. With `.program`, a counter of scope
    ///     `instance` also ends with this program. No effect on scope `app`.
    /// - Returns: The current value.
    @discardableResult
    public func register(
        _ name: String, initial: Value = 0, scope: Scope = .app, run: Run = .daemon
    ) async throws(HarkError) -> Value {
        var request = CounterRegister()
        (request.counter, request.app) = (name, recorder.app)
        (request.initial, request.lifetime) = (AnyJSON(initial), scope.rawValue)
        if run == .program { request.run = CounterRun.process.rawValue }
        return Value(try await recorder.link.call(request).counter.value.json)
    }

    /// Adds 1 to a counter without waiting, and evaluates the conditions that listen to it. If the counter is not a
    /// number, the daemon refuses, which is reported in the recorder's `notices`.
    public func trigger(_ name: String) {
        var request = CounterTrigger()
        (request.counter, request.app) = (name, recorder.app)
        change(name, request)
    }

    /// Sets a counter without waiting, and evaluates the conditions that listen to it.
    public func set(_ name: String, to value: Value) {
        var request = CounterSet()
        (request.counter, request.value, request.app) = (name, AnyJSON(value), recorder.app)
        change(name, request)
    }

    private func change(_ name: String, _ request: some WireMethod) {
        guard let early = executions.withLock({ $0.announce(name) }) else { return recorder.link.post(request) }
        recorder.link.post(request) { [weak self] answer in
            guard let self else { return }
            let revision = (try? answer.get()).map { ChangedCounter($0).revision }
            let due = self.executions.withLock { $0.answer(early, revision: revision) }
            for run in due { run() }
        }
    }

    /// Resets a counter, or all counters of this app, to the initial value. No condition is evaluated.
    public func reset(_ name: String? = nil) async throws(HarkError) {
        var request = CounterReset()
        (request.counter, request.app) = (name, recorder.app)
        _ = try await recorder.link.call(request)
    }

    /// Tells the daemon that the app is in the background, which resets its counters of scope `instance`.
    public func enterBackground() async throws(HarkError) {
        var request = AppBackground()
        request.app = recorder.app
        _ = try await recorder.link.call(request)
    }

    /// Returns the current counters of this app.
    public func values() async throws(HarkError) -> CounterValues {
        var values: [String: Value] = [:]
        var request = CounterList()
        request.app = recorder.app
        repeat {
            let page = try await recorder.link.call(request)
            for counter in page.counters { values[counter.name] = Value(counter.value.json) }
            request.after = page.next
        } while request.after != nil
        return CounterValues(values: values)
    }

    // MARK: Executions

    /// Runs code when a condition holds: once, or each time if it is kept alive.
    /// - Parameters:
    ///   - id: The id of the execution. Adding another with this id replaces it.
    ///   - names: The counters whose changes cause the condition to be evaluated.
    ///   - keepAlive: Whether the execution remains after it has run.
    ///   - validateImmediately: Whether the condition is also evaluated right away.
    ///   - condition: Returns whether to run now. It must be fast and must not block.
    ///   - perform: The code to run. It receives the counter that changed (nil when validated immediately) and all
    ///     values at that time.
    public func addExecution(
        id: String, listeningTo names: [String], keepAlive: Bool = false, validateImmediately: Bool = false,
        when condition: @escaping @Sendable (CounterValues) -> Bool,
        perform: @escaping @Sendable (String?, CounterValues) async -> Void
    ) {
        addExecution(
            id: id, listeningTo: names, keepAlive: keepAlive, validateImmediately: validateImmediately,
            when: { _, values in condition(values) }, perform: perform)
    }

    /// Runs code when a condition holds that also depends on which counter changed.
    /// - Parameters:
    ///   - id: The id of the execution. Adding another with this id replaces it.
    ///   - names: The counters whose changes cause the condition to be evaluated.
    ///   - keepAlive: Whether the execution remains after it has run.
    ///   - validateImmediately: Whether the condition is also evaluated right away.
    ///   - condition: Returns whether to run now. It receives the counter that changed (nil when validated immediately)
    ///     and all values at that time. It must be fast and must not block.
    ///   - perform: The code to run. It receives the same.
    public func addExecution(
        id: String, listeningTo names: [String], keepAlive: Bool = false, validateImmediately: Bool = false,
        when condition: @escaping @Sendable (String?, CounterValues) -> Bool,
        perform: @escaping @Sendable (String?, CounterValues) async -> Void
    ) {
        let due = executions.withLock { table in
            table.add(
                Execution(id: id, names: names, keepAlive: keepAlive, condition: condition, perform: perform),
                validate: validateImmediately)
        }
        for run in due { run() }
        follow()
    }

    /// Removes an execution; returns false if there is none with that id.
    @discardableResult
    public func removeExecution(id: String) -> Bool {
        executions.withLock { $0.remove(id) }
    }

    /// The ids of the waiting executions.
    public var executionIDs: [String] { executions.withLock { $0.ids } }

    /// Keeps the local values up to date with the daemon.
    private func follow() {
        mirror.withLock { mirror in
            guard mirror == nil else { return }
            let updates = CounterUpdates(recorder)
            mirror = Task { [weak self] in
                while let update = await updates.next() {
                    guard let self else { return }
                    let due = self.executions.withLock { $0.take(update) }
                    for run in due { run() }
                }
            }
        }
    }
}
