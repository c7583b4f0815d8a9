import HarkFleet
import HarkSystem

/// Decodes what machines have sent on another thread and hands it over one batch after the other. While one is handled,
/// the next ones are decoded.
///
/// The queue is bounded: what exceeds it is dropped, because machines send unacknowledged batches again.
@DaemonActor
final class FleetIntake {
    private typealias Item = (payload: [UInt8], machine: String)

    private typealias Reading = (content: Task<FleetDecoder.Content?, Never>, machine: String)

    /// The number of batches decoded ahead; a decoded batch takes much more memory.
    private static let mostAhead = 2
    private static let mostBytes = 64 << 20
    private static let mostItems = 16_384

    private let take: (FleetDecoder.Content, String) async -> Void
    private let thread = WorkerThread(name: "hark-fleet")
    private let box = Box()
    private var queue: ArraySlice<Item> = []
    private var reading: ArraySlice<Reading> = []
    private var bytes = 0
    private var isBusy = false
    private var isClosed = false
    private var hasOverflown = false
    private var hasRefused = false

    // Unchecked: the decoder is used only by jobs of `thread`.
    private final class Box: @unchecked Sendable {
        private var decoder = FleetDecoder()

        func read(_ payload: [UInt8]) -> FleetDecoder.Content? { decoder.read(payload) }
    }

    init(_ take: @escaping (FleetDecoder.Content, String) async -> Void) { self.take = take }

    func add(_ payload: [UInt8], of machine: String) {
        guard !isClosed else { return }
        guard bytes + payload.count <= FleetIntake.mostBytes, queue.count < FleetIntake.mostItems else {
            if !hasOverflown { Log.warning("fleet: machines send more than the hub can take; they send it again") }
            hasOverflown = true
            return
        }
        queue.append((payload, machine))
        bytes += payload.count
        guard !isBusy else { return }
        isBusy = true
        DaemonActor.task { [self] in await work() }
    }

    private func work() async {
        while !isClosed {
            readAhead()
            guard let (reading, machine) = reading.popFirst() else { break }
            let content = await reading.value
            readAhead()
            // A broker enforces at best that a machine writes to its own topic only.
            if let content, content.head.machine == machine {
                await take(content, machine)
            } else if !hasRefused {
                // Logged once, because the sender may send many.
                hasRefused = true
                Log.warning("fleet: a message from \(machine) is no batch of records, and was ignored")
            }
        }
        isBusy = false
        hasOverflown = false
        queue = []
        reading = []
        bytes = 0
    }

    private func readAhead() {
        while reading.count < FleetIntake.mostAhead, let (payload, machine) = queue.popFirst() {
            bytes -= payload.count
            reading.append(
                (
                    DaemonActor.task { [self, box] in
                        // A job for a closed thread never runs.
                        isClosed ? nil : await thread.run { box.read(payload) }
                    }, machine
                ))
        }
    }

    func close() {
        isClosed = true
        thread.close()
    }
}
