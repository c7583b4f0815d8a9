internal import HarkCore
internal import HarkWire

/// A cache of machines for a reader, as every session of a machine is read with it. Belongs to a `StoreReader`.
///
/// A machine never changes, so entries stay valid.
final class MachineReader {
    private let database: Database
    private lazy var byRow = DeferredStatement(database, "SELECT \(MachineReader.columns) FROM machine WHERE row = ?")
    private var known: [Int64: MachineIdentity] = [:]
    /// The number of machines cached; the cache is emptied when it is full.
    private static let most = 10_000

    static let columns = "row, name, grp, log"

    init(_ database: Database) { self.database = database }

    /// The machine whose sessions have this uid; nil if it is not a machine's.
    func machine(uid: UInt32) throws(StoreError) -> MachineIdentity? {
        guard MachineIdentity.isMachine(uid: uid) else { return nil }
        let row = Int64(uid - MachineIdentity.firstUID)
        if let machine = known[row] { return machine }
        let statement = try byRow().bind(1, row)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let machine = MachineReader.machine(in: statement)
        if known.count >= MachineReader.most { known.removeAll() }
        known[row] = machine
        return machine
    }

    static func machine(in statement: Statement) -> MachineIdentity {
        let group = statement.text(2) ?? ""
        return MachineIdentity(
            row: statement.integer(0), name: statement.text(1) ?? "", group: group.isEmpty ? nil : group,
            log: statement.withBytes(3) { Identifier(raw: $0) } ?? Identifier(high: 0, low: 0))
    }
}
