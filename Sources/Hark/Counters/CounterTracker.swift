internal import HarkClient
internal import HarkWire
internal import Synchronization

/// Counts things and runs code when a condition over the counts holds.
///
/// The counters live in the daemon, so every program of the app counts the same ones. Conditions and code are closures
/// of this program: they are looked at whenever a counter they listen to is triggered or set, by whomever.
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
    /// When a counter goes back to its initial value.
    public enum Scope: String, Sendable, CaseIterable {
        /// When the app is backgrounded or its session ends.
        case instance
        /// When the daemon starts again, or with the program that has registered it: see `Run`.
        case session
        /// Never by itself.
        case app
    }

    /// Whose run a counter lasts for.
    public enum Run: Sendable, Hashable, CaseIterable {
        /// The daemon's.
        case daemon
        /// That of the programs which have registered it so: until the last of them has ended, over restarts of the daemon.
        case program
    }

    /// The counters of `EventRecorder.shared`.
    public static let shared = CounterTracker(.shared)

    private let recorder: EventRecorder
    private let executions = Mutex(ExecutionTable())
    private let mirror: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Counts over the connection of a recorder, the counters of its app.
    public init(_ recorder: EventRecorder) {
        self.recorder = recorder
    }

    deinit { mirror.withLock { $0?.cancel() } }

    // MARK: Counters

    /// Makes a counter known. Only the first registration in a run counts, and a counter of scope `app` keeps its value.
    /// - Parameters:
    ///   - initial: What it begins with.
    ///   - scope: When it goes back to that.
    ///   - run: Whose run a counter of scope `session` lasts for; `.program` for one of scope `instance` ends it with this
    ///     program, too. Nothing for scope `app`.
    /// - Returns: its value now.
    @discardableResult
    public func register(
        _ name: String, initial: Value = 0, scope: Scope = .app, run: Run = .daemon
    ) async throws(HarkError) -> Value {
        let params = recorder.params.with(.newCounter, name).with(.initial, initial).with(.lifetime, scope.rawValue)
            .with(.run, run == .program ? CounterRun.process.rawValue : nil)
        let result = try await recorder.link.call(.counterRegister, params)
        return result.member("counter")?.member("value").map { Value($0) } ?? .null
    }

    /// Adds 1 and goes on at once; what listens to the counter is looked at. A counter that is no number is refused,
    /// which shows in the recorder's `notices`.
    public func trigger(_ name: String) {
        change(name, .counterTrigger, recorder.params.with(.counter, name))
    }

    /// Gives a counter a value and goes on at once; what listens to it is looked at.
    public func set(_ name: String, to value: Value) {
        change(name, .counterSet, recorder.params.with(.counter, name).with(.counterValue, value))
    }

    private func change(_ name: String, _ method: MethodShape, _ params: RequestParams) {
        guard let early = executions.withLock({ $0.announce(name) }) else {
            return recorder.link.post(method, params)
        }
        recorder.link.post(method, params) { [weak self] answer in
            guard let self else { return }
            let revision = (try? answer.get())?.member("revision")?.int
            let due = self.executions.withLock { $0.answer(early, revision: revision) }
            for run in due { run() }
        }
    }

    /// Brings a counter, or all of this app, back to the initial value. Nothing is looked at.
    public func reset(_ name: String? = nil) async throws(HarkError) {
        _ = try await recorder.link.call(.counterReset, recorder.params.with(.counterToReset, name))
    }

    /// The app is not looked at any more: its counters of scope `instance` are reset.
    public func enterBackground() async throws(HarkError) {
        _ = try await recorder.link.call(.background, recorder.params)
    }

    /// The counters of this app now.
    public func values() async throws(HarkError) -> CounterValues {
        var values: [String: Value] = [:]
        var after: Value?
        repeat {
            let result = try await recorder.link.call(.counterList, recorder.params.with(.afterCounter, after))
            for counter in result.member("counters")?.elements ?? [] {
                if let name = counter.member("name")?.string {
                    values[name] = counter.member("value").map { Value($0) }
                }
            }
            let next = result.member("next")
            after = next?.isNull == false ? next.map { Value($0) } : nil
        } while after != nil
        return CounterValues(values: values)
    }

    // MARK: Executions

    /// Runs code when a condition holds, once, unless it is kept alive.
    /// - Parameters:
    ///   - id: An execution of the same id takes the place of this one.
    ///   - names: The counters whose changes make the condition be looked at.
    ///   - keepAlive: It stays after it has run.
    ///   - validateImmediately: The condition is looked at right away as well.
    ///   - condition: Whether to run now. Quick, and without waiting.
    ///   - perform: What to do; gets the counter that changed (nil when validated immediately) and all values then.
    public func addExecution(
        id: String, listeningTo names: [String], keepAlive: Bool = false, validateImmediately: Bool = false,
        when condition: @escaping @Sendable (CounterValues) -> Bool,
        perform: @escaping @Sendable (String?, CounterValues) async -> Void
    ) {
        addExecution(
            id: id, listeningTo: names, keepAlive: keepAlive, validateImmediately: validateImmediately,
            when: { _, values in condition(values) }, perform: perform)
    }

    /// The same with a condition that also asks which counter it is that changed.
    /// - Parameters:
    ///   - id: An execution of the same id takes the place of this one.
    ///   - names: The counters whose changes make the condition be looked at.
    ///   - keepAlive: It stays after it has run.
    ///   - validateImmediately: The condition is looked at right away as well.
    ///   - condition: Whether to run now; gets the counter that changed (nil when validated immediately) and all values
    ///     then. Quick, and without waiting.
    ///   - perform: What to do; gets the same.
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

    /// Takes an execution out; false when there is none of that id.
    @discardableResult
    public func removeExecution(id: String) -> Bool {
        executions.withLock { $0.remove(id) }
    }

    /// The ids of the executions that wait.
    public var executionIDs: [String] { executions.withLock { $0.ids } }

    /// Keeps the values here as they are in the daemon.
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
