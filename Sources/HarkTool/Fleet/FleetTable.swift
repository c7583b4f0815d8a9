import HarkAsking
import HarkClient
import HarkWire

/// The machines of a fleet, one a line, in the width of a terminal: what is least worth knowing is left out where there is no
/// room for all. What somebody should know of a machine follows below, a line each.
struct FleetTable {
    let machines: [JSONText]
    let style: TextStyle
    let columns: Int?
    let now: Timestamp

    /// What is here of a machine is behind once it is so many seconds old, while more waits there.
    private static let lateness = 60.0
    private static let shownOfVersion = 8

    static func isBehind(_ machine: JSONText) -> Bool {
        machine.member("lagSeconds")?.double.map { $0 >= lateness } ?? false
    }

    private enum Column: String, CaseIterable {
        case machine, group, connected, seen, waiting, behind, harkd, documents
    }

    /// The first goes first.
    private static let lessImportant: [Column] = [.documents, .harkd, .group, .behind, .seen, .connected, .waiting]

    var text: String {
        let notes = machines.flatMap(notes)
        guard !machines.isEmpty else { return "" }
        return ([TextTable.text(rows, style)] + (notes.isEmpty ? [] : [""]) + notes).joined(separator: "\n")
    }

    private var rows: [[String]] {
        // A column in which nothing stands is none.
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

    private func cell(_ column: Column, of machine: JSONText) -> String {
        switch column {
        case .machine: VisibleText.make(machine.member("machine")?.string ?? "?")
        case .group: machine.member("group")?.string.map { VisibleText.make($0) } ?? ""
        case .connected: machine.member("here")?.bool == true ? "yes" : "no"
        case .seen: FleetWords.age(machine.member("seenAt")?.string, now: now) ?? "never"
        case .waiting: machine.member("pending")?.int.map { Plural.grouped($0) } ?? "?"
        case .behind where machine.member("pending")?.int == 0: "-"
        case .behind: machine.member("lagSeconds")?.double.map { FleetWords.span($0) } ?? "-"
        case .harkd: VisibleText.make(machine.member("version")?.string ?? "")
        case .documents:
            (machine.member("documents")?.elements ?? []).map { document in
                let kind = VisibleText.make(document.member("kind")?.string ?? "?")
                // So much tells one from another.
                let version = (document.member("version")?.string ?? "?").prefix(Self.shownOfVersion)
                return "\(kind) \(VisibleText.make(String(version)))"
            }.joined(separator: ", ")
        }
    }

    /// What is to be known of a machine, and which documents of the hub's are not in force there.
    private func notes(_ machine: JSONText) -> [String] {
        let name = VisibleText.make(machine.member("machine")?.string ?? "?")
        let problems = (machine.member("documents")?.elements ?? []).compactMap { document -> String? in
            guard let problem = document.member("problem")?.string else { return nil }
            let kind = VisibleText.make(document.member("kind")?.string ?? "?")
            return "\(kind) not in force: \(VisibleText.make(problem))"
        }
        let note = machine.member("note")?.string.map { [VisibleText.make($0)] } ?? []
        return (note + problems).map { style.warning("\(name): \($0)") }
    }
}
