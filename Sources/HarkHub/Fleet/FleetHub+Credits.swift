import HarkCore
import HarkFleet
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Dealing the answers of quotas, on this hub.
extension FleetHub {
    func makeBank(_ loop: EventLoop) throws -> FleetBank {
        try FleetBank(
            ledger: ledger, loop: loop, documents: documents, lease: Int64(settings.creditSeconds * 1_000),
            fleet: FleetBank.Fleet(
                count: { [weak self] in self?.machineCount ?? 1 }, most: settings.mostMachines,
                isHere: { [weak self] key in self?.peers[key]?.isHere ?? false },
                say: { [weak self] key, word in
                    guard let self, watch.isServing else { return }
                    link.publish(topics.acknowledgements(to: key.machine), word.payload)
                },
                word: { [store, run = link.run] key in FleetCreditWord(store: store, run: run, log: key.log) }))
    }

    /// The number of machines that share, if it is known.
    private var machineCount: Int { max(peers.count, seenBefore.count, 1) }
}
