/// Holds a value that only the jobs of one `WorkerThread` touch.
final class Confined<Value>: @unchecked Sendable {
    // Jobs of that WorkerThread run one at a time, even if on different threads, and `discard` is called after it has ended.
    private var stored: Value?

    init(_ value: Value) { stored = value }

    var value: Value { stored! }

    func discard() { stored = nil }
}
