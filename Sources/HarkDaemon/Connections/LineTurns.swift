import HarkSystem

/// Clients who have sent more than is dealt with at once: each gets a slice of the loop in turn, when nobody else has
/// anything for the loop to do.
@DaemonActor
final class LineTurns {
    /// Microseconds that one client is dealt with at a time; a request that takes longer is not interrupted.
    static let slice: UInt64 = 500

    private var waiting = Queue<Connection>()
    private var source: IdleSource?

    init(_ loop: EventLoop) {
        do throws(SystemError) {
            source = try loop.idle { [weak self] in self?.takeTurn() }
        } catch {
            Log.warning("clients that send much cannot be made to stand back: \(error)")
        }
    }

    func append(_ connection: Connection) {
        waiting.append(connection)
        arm()
    }

    private func takeTurn() {
        waiting.popFirst()?.takeTurn()
        arm()
    }

    private func arm() {
        guard !waiting.isEmpty else { return }
        if let source { source.arm() } else { DaemonActor.post { [weak self] in self?.takeTurn() } }
    }
}

/// The end of a slice of the loop's time.
@DaemonActor
struct LoopSlice {
    private let end: UInt64

    init(microseconds: UInt64) { end = SystemClock.monotonicMicroseconds + microseconds }

    var isOver: Bool { SystemClock.monotonicMicroseconds >= end }
}
