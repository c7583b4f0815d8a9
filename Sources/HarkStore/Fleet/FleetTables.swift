internal import HarkCore
internal import HarkWire

enum FleetPlaceTable: StoredTable {
    static let name = "fleet_place"
    static let mendsTexts = true

    static func map(_ column: inout Columns<FleetPlace>) -> FleetPlace {
        FleetPlace(
            machine: column("machine", .key) { $0.machine }, log: column("log", .key) { $0.log },
            sequence: UInt64(clamping: column("sequence") { Int64(clamping: $0.sequence) }), id: column("id") { $0.id },
            at: column("at") { $0.at },
            takenAt: column("taken") { $0.takenAt }, awaySince: column("away", .kept) { $0.awaySince })
    }
}

/// The credits that a hub has dealt.
enum FleetCreditTable: StoredTable {
    typealias Row = (
        survey: String, begins: Timestamp?, log: CreditPool.Log, name: String, until: Timestamp,
        cell: CreditAccount.Cell
    )

    static let name = "fleet_credit"
    static let mendsTexts = true

    static func map(_ column: inout Columns<Row>) -> Row {
        let (survey, begins) = (column("survey", .key) { $0.survey }, column.period { $0.begins })
        let log = CreditPool.Log(
            machine: column("machine", .key) { $0.log.machine }, id: column("log", .key) { $0.log.id })
        let (name, until) = (column("cell", .key) { $0.name }, column("until") { $0.until })
        return (survey, begins, log, name, until, column.credits { $0.cell })
    }
}

/// The credits that the hub has dealt to this machine.
enum CreditTable: StoredTable {
    typealias Row = (survey: String, begins: Timestamp?, name: String, cell: CreditAccount.Cell)

    static let name = "credit"
    static let mendsTexts = true

    static func map(_ column: inout Columns<Row>) -> Row {
        let (survey, begins) = (column("survey", .key) { $0.survey }, column.period { $0.begins })
        return (survey, begins, column("cell", .key) { $0.name }, column.credits { $0.cell })
    }
}

extension Columns {
    /// The beginning of a period; -1: there are none.
    fileprivate mutating func period(_ value: (Row) -> Timestamp?) -> Timestamp? {
        let begins = self("begins", .key) { value($0)?.milliseconds ?? -1 }
        return begins == -1 ? nil : Timestamp(milliseconds: begins)
    }

    /// A number out of bounds can only be damage.
    fileprivate mutating func credits(_ value: (Row) -> CreditAccount.Cell) -> CreditAccount.Cell {
        func bounded(_ count: Int64) -> Int { Int(min(max(count, 0), Int64(CreditAccount.most))) }
        return CreditAccount.Cell(
            dealt: bounded(self("dealt") { Int64(value($0).dealt) }),
            returned: bounded(self("returned") { Int64(value($0).returned) }),
            spent: bounded(self("spent") { Int64(value($0).spent) }),
            freed: bounded(self("freed") { Int64(value($0).freed) }))
    }
}
