/// Holds a value that only the jobs of one `WorkerThread` touch.
final class Confined<Value>: @unchecked Sendable {
    // Jobs of the one WorkerThread beside it are done one after the other, whoever does them, and `discard` comes after that
    // thread has ended: nobody asks for it then.
    private var stored: Value?

    init(_ value: Value) { stored = value }

    var value: Value { stored! }

    func discard() { stored = nil }
}
