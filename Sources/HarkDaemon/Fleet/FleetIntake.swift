import HarkFleet
import HarkSystem

/// What machines have sent and was not dealt with yet: read on a thread of its own, handed over one after the other.
///
/// It has a bound: what comes beyond it is let go of, as machines send again what nobody acknowledged.
@DaemonActor
final class FleetIntake {
    private typealias Item = (payload: [UInt8], machine: String)

    private static let mostBytes = 64 << 20
    private static let mostItems = 16_384

    private let take: (FleetDecoder.Content, String) async -> Void
    private let thread = WorkerThread(name: "hark-fleet")
    private let box = Box()
    private var queue: ArraySlice<Item> = []
    private var bytes = 0
    private var isBusy = false
    private var isClosed = false
    private var hasOverflown = false
    private var hasRefused = false

    // The decoder is only touched by jobs of `thread`.
    private final class Box: @unchecked Sendable {
        private var decoder = FleetDecoder()

        func read(_ payload: [UInt8]) -> FleetDecoder.Content? { decoder.read(payload) }
    }

    init(_ take: @escaping (FleetDecoder.Content, String) async -> Void) { self.take = take }

    func add(_ payload: [UInt8], of machine: String) {
        guard !isClosed else { return }
        guard bytes + payload.count <= FleetIntake.mostBytes, queue.count < FleetIntake.mostItems else {
            if !hasOverflown { Log.warning("fleet: more comes from machines than can be taken; they send it again") }
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
        while let (payload, machine) = queue.popFirst(), !isClosed {
            bytes -= payload.count
            let content = await thread.run { [box] in box.read(payload) }
            // A broker sees to it at best that a machine writes to its own topic.
            if let content, content.head.machine == machine {
                await take(content, machine)
            } else if !hasRefused {
                // Once: whoever sends such things may send many.
                hasRefused = true
                Log.warning("fleet: what came in the name of \(machine) is no batch of records, and was left alone")
            }
        }
        isBusy = false
        hasOverflown = false
        queue = []
        bytes = 0
    }

    func close() {
        isClosed = true
        thread.close()
    }
}
