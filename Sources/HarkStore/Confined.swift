/// Holds a value that belongs to one thread.
final class Confined<Value>: @unchecked Sendable {
    // Only jobs of the one WorkerThread beside it touch the value, and `discard` after that thread has ended: nobody asks for
    // it then.
    private var stored: Value?

    init(_ value: Value) { stored = value }

    var value: Value { stored! }

    func discard() { stored = nil }
}
