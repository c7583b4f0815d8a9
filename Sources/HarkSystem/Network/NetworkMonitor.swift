import Glibc

/// Monitors the network connection of this machine by rtnetlink. It sleeps while nothing changes.
///
/// Changes come in bursts: they are reported once they have settled, but the return of a default route at once.
@DaemonActor
package final class NetworkMonitor {
    /// The last reported path.
    package private(set) var path = NetworkPath()
    /// Called after each change, in order.
    package var onChange: [@DaemonActor (NetworkPath) -> Void] = []

    private let socket: NetlinkSocket
    private var tracker: NetworkTracker
    private var source: IOSource?
    private var timer: TimerSource?
    private var isSettling = false
    private var lastDump: UInt64 = 0

    private static let settleMicroseconds: UInt64 = 50_000
    /// The number of reads in one turn of the loop; the routes of a large router need several turns.
    private static let readsPerTurn = 64

    /// Reads the current state; `path` is valid when this returns.
    package init(loop: EventLoop) throws(SystemError) {
        socket = try NetlinkSocket()
        tracker = NetworkTracker(port: socket.port)
        try begin()
        try receive()
        path = tracker.path
        timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 5_000) { [weak self] in self?.settled() }
        source = try loop.watch(socket.raw, for: .read) { [weak self] _ in self?.readable() }
        if tracker.need != nil { settle() }
    }

    /// Stops watching; `path` keeps its value.
    package func stop() {
        source?.cancel()
        timer?.cancel()
        source = nil
        timer = nil
        onChange = []
    }

    private func readable() {
        do throws(SystemError) {
            try receive()
            if tracker.need != nil, !tracker.isDumping, isDumpDue {
                try begin()
                try receive()
            }
            compare()
        } catch {
            fail(error)
        }
    }

    private func settled() {
        isSettling = false
        do throws(SystemError) {
            if tracker.need != nil {
                try begin()
                try receive()
            }
            if tracker.need != nil || tracker.isDumping { return settle() }
            tell()
        } catch {
            fail(error)
        }
    }

    private func compare() {
        if tracker.need != nil { return settle() }
        guard !tracker.isDumping, tracker.path != path else { return }
        if tracker.path.isSatisfied, !path.isSatisfied { tell() } else { settle() }
    }

    private func settle() {
        guard !isSettling else { return }
        isSettling = true
        timer?.arm(afterMicroseconds: NetworkMonitor.settleMicroseconds)
    }

    private func tell() {
        let path = tracker.path
        guard path != self.path else { return }
        self.path = path
        for tell in onChange { tell(path) }
    }

    /// Whether a dump is due; limited to one per settling time, however many changes there are.
    private var isDumpDue: Bool { SystemClock.monotonicMicroseconds >= lastDump + NetworkMonitor.settleMicroseconds }

    private func begin() throws(SystemError) {
        lastDump = SystemClock.monotonicMicroseconds
        try socket.send(tracker.begin())
    }

    /// Receives pending datagrams, and sends the requests that follow from them.
    private func receive() throws(SystemError) {
        var buffer = [UInt8](repeating: 0, count: NetlinkSocket.capacity)
        for _ in 0..<NetworkMonitor.readsPerTurn {
            do throws(SystemError) {
                guard let count = try socket.receive(into: &buffer) else { return }
                if let request = tracker.take(buffer[..<count]) { try socket.send(request) }
            } catch {
                guard error.code == ENOBUFS else { throw error }
                tracker.lose()
            }
        }
    }

    private func fail(_ error: SystemError) {
        Log.warning("the network is not watched any more: \(error)")
        stop()
    }
}
