internal import HarkCore

/// A cache of machines for a reader, as every session of a machine is read with it. Belongs to a `StoreReader`.
///
/// A machine never changes, so entries stay valid.
final class MachineReader {
    private let database: Database
    private lazy var byRow = DeferredStatement(database, "\(MachineTable.selection) WHERE row = ?")
    private var known: [Int64: MachineIdentity] = [:]
    /// The number of machines cached; the cache is emptied when it is full.
    private static let most = 10_000

    init(_ database: Database) { self.database = database }

    /// The machine whose sessions have this uid; nil if it is not a machine's.
    func machine(uid: UInt32) throws(StoreError) -> MachineIdentity? {
        guard MachineIdentity.isMachine(uid: uid) else { return nil }
        let row = Int64(uid - MachineIdentity.firstUID)
        if let machine = known[row] { return machine }
        guard let machine = try MachineTable.first(byRow().bind(1, row)) else { return nil }
        if known.count >= MachineReader.most { known.removeAll() }
        known[row] = machine
        return machine
    }
}
