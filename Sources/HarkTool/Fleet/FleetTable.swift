import HarkAsking
import HarkClient
import HarkWire

/// The machines of a fleet as a table that fits the terminal: the least important columns are left out if there is no
/// room. Notes on machines follow below, a line for each.
struct FleetTable {
    let machines: [FleetMachineInfo]
    let style: TextStyle
    let columns: Int?
    let now: Timestamp

    /// A machine with waiting records is behind if its newest record at the hub is at least this old, in seconds.
    private static let lateness = 60.0
    private static let shownOfVersion = 8

    static func isBehind(_ machine: FleetMachineInfo) -> Bool {
        machine.lagSeconds.map { $0 >= lateness } ?? false
    }

    private enum Column: String, CaseIterable {
        case machine, group, connected, seen, waiting, behind, harkd, documents
        case held = "held back"
    }

    /// The columns to leave out, in this order.
    private static let lessImportant: [Column] = [
        .documents, .harkd, .group, .held, .behind, .seen, .connected, .waiting,
    ]

    var text: String {
        let notes = machines.flatMap(notes)
        guard !machines.isEmpty else { return "" }
        return ([TextTable.text(rows, style)] + (notes.isEmpty ? [] : [""]) + notes).joined(separator: "\n")
    }

    private var rows: [[String]] {
        // Empty columns are left out.
        var shown = Column.allCases.filter { column in
            column == .machine || machines.contains { !cell(column, of: $0).isEmpty }
        }
        let all = Dictionary(
            uniqueKeysWithValues: shown.map { column in
                (column, [column.rawValue] + machines.map { cell(column, of: $0) })
            })
        func width(_ column: Column) -> Int { all[column]?.map { TextWidth.of($0) }.max() ?? 0 }
        if let columns {
            for column in Self.lessImportant {
                let total = shown.reduce(0) { $0 + width($1) } + 2 * (shown.count - 1)
                if total > columns { shown.removeAll { $0 == column } }
            }
        }
        return (0...machines.count).map { row in
            shown.map { column in
                let text = all[column]?[row] ?? ""
                return shown.count == 1 ? clipped(text) : text
            }
        }
    }

    private func clipped(_ text: String) -> String {
        columns.map { StyledLine(text).clipped(to: $0).text } ?? text
    }

    private func cell(_ column: Column, of machine: FleetMachineInfo) -> String {
        switch column {
        case .machine: VisibleText.make(machine.machine)
        case .group: machine.group.map { VisibleText.make($0) } ?? ""
        case .connected: machine.here ? "yes" : "no"
        case .seen: FleetWords.age(machine.seenAt, now: now) ?? "never"
        case .waiting: machine.pending.map { Plural.grouped($0) } ?? "?"
        case .behind where machine.pending == 0: "-"
        case .behind: machine.lagSeconds.map { FleetWords.span($0) } ?? "-"
        case .harkd: VisibleText.make(machine.version)
        case .held:
            // An empty column, where nothing is held back anywhere.
            FleetWords.heldCount(machine.documents)
        case .documents:
            machine.documents.map { document in
                // A prefix is enough to distinguish versions.
                "\(document.kind.rawValue) \(VisibleText.make(String(document.version.prefix(Self.shownOfVersion))))"
            }.joined(separator: ", ")
        }
    }

    /// Returns the note on a machine, and the hub's documents that are not in force there.
    private func notes(_ machine: FleetMachineInfo) -> [String] {
        let problems = machine.documents.compactMap { document in
            document.problem.map { "\(document.kind.rawValue) not in force: \(VisibleText.make($0))" }
        }
        let note = machine.note.map { [VisibleText.make($0)] } ?? []
        let held = machine.documents.flatMap { FleetWords.held($0) }
        return (note + problems + held).map { style.warning("\(VisibleText.make(machine.machine)): \($0)") }
    }
}
