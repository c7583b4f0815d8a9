import HarkAsking
import HarkSQL
import HarkWire

/// Rows as a table for people: columns as wide as they need, numbers to the right.
///
/// The first rows determine the width of columns; later rows are printed as they come. Where a terminal is too narrow,
/// the widest columns are cut; where even that does not do, each row is a list of its values.
final class TableRowPrinter: RowPrinter {
    private let console: Console
    private var columns: [String] = []
    private var waiting: [[Cell]] = []
    private var waitingBytes = 0
    private var layout: Layout?
    /// Whether an empty line parts a table from the one before.
    private let parts: Bool
    private var isFirst = true

    /// So much is looked at before anything is printed.
    private static let rows = 1_000
    private static let bytes = 1 << 20
    private static let gap = 2
    /// No column is cut to less.
    private static let narrowest = 6

    private struct Cell {
        let text: String
        let width: Int
        let isNumber: Bool
        let isNull: Bool

        init(_ value: SQLValue) {
            text = VisibleText.make(ValueText.shown(value))
            width = TextWidth.of(text)
            switch value {
            case .integer, .real: isNumber = true
            case .null, .text, .blob: isNumber = false
            }
            isNull = value == .null
        }
    }

    private enum Layout {
        case table(widths: [Int], toRight: [Bool])
        case list(nameWidth: Int)
    }

    init(_ console: Console, parting parts: Bool = true) {
        self.console = console
        self.parts = parts
    }

    func begin(_ columns: [String], _: [ColumnType?]) {
        self.columns = columns.map { VisibleText.make($0) }
        waiting = []
        waitingBytes = 0
        layout = nil
    }

    func add(_ row: [SQLValue]) throws {
        let cells = row.map { Cell($0) }
        guard layout == nil else { return try print(cells) }
        waiting.append(cells)
        waitingBytes += cells.reduce(64) { $0 + $1.text.utf8.count }
        if waiting.count >= Self.rows || waitingBytes >= Self.bytes { try settle() }
    }

    func end() throws {
        if layout == nil { try settle() }
    }

    /// Decides how it looks, and prints what waits.
    private func settle() throws {
        let room = console.columns
        let layout = chosen(within: room)
        self.layout = layout
        if !isFirst, parts { try console.print("") }
        isFirst = false
        if case .table(let widths, let toRight) = layout {
            let names = columns.indices.map { place in
                Self.fitted(columns[place], TextWidth.of(columns[place]), widths[place], toRight[place], ellipsis)
            }
            try console.print(console.style.dim(Self.joined(names)))
        }
        for row in waiting { try print(row) }
        waiting = []
    }

    private func chosen(within room: Int?) -> Layout {
        var widths = columns.map { TextWidth.of($0) }
        var toRight = columns.map { _ in true }
        for row in waiting {
            for place in row.indices {
                widths[place] = max(widths[place], row[place].width)
                if !row[place].isNumber, !row[place].isNull { toRight[place] = false }
            }
        }
        for place in toRight.indices where waiting.allSatisfy({ $0[place].isNull }) { toRight[place] = false }
        guard let room else { return .table(widths: widths, toRight: toRight) }
        let gaps = Self.gap * max(columns.count - 1, 0)
        let least = widths.reduce(gaps) { $0 + min($1, Self.narrowest) }
        guard least <= room else { return .list(nameWidth: min(widths.count == 0 ? 0 : nameWidth, room / 2)) }
        // The widest give way, one column of the terminal after the other, down to a common width.
        var common = widths.max() ?? 0
        while widths.reduce(gaps, { $0 + min($1, common) }) > room, common > Self.narrowest { common -= 1 }
        var cut = widths.map { min($0, common) }
        // The remaining space goes to the first columns that were cut.
        var left = room - cut.reduce(gaps, +)
        for place in cut.indices where left > 0 && cut[place] < widths[place] {
            let more = min(left, widths[place] - cut[place])
            cut[place] += more
            left -= more
        }
        return .table(widths: cut, toRight: toRight)
    }

    private var nameWidth: Int { columns.map { TextWidth.of($0) }.max() ?? 0 }

    private var ellipsis: String { console.glyphs.isASCII ? "~" : "…" }

    private func print(_ row: [Cell]) throws {
        switch layout {
        case .table(let widths, let toRight):
            let cells = row.indices.map { place in
                let cell = row[place]
                let text = Self.fitted(
                    cell.text, cell.width, widths[place], toRight[place], ellipsis, cut: console.outputIsTerminal)
                return cell.isNull ? console.style.dim(text) : text
            }
            try console.print(Self.joined(cells))
        case .list(let width):
            for (name, cell) in zip(columns, row) {
                let label = TextWidth.padded(name, width)
                try console.print(
                    console.style.dim(label) + "  " + (cell.isNull ? console.style.dim(cell.text) : cell.text))
            }
            try console.print("")
        case nil: break
        }
    }

    /// A text in that many columns of the terminal: padded with spaces, or cut if that is allowed.
    private static func fitted(
        _ text: String, _ width: Int, _ room: Int, _ toRight: Bool, _ ellipsis: String, cut: Bool = true
    ) -> String {
        if width <= room {
            let space = String(repeating: " ", count: room - width)
            return toRight ? space + text : text + space
        }
        guard cut else { return text }
        var shown = ""
        var used = 0
        for character in text {
            let next = TextWidth.of(character)
            if used + next > room - 1 { break }
            used += next
            shown.append(character)
        }
        return shown + ellipsis + String(repeating: " ", count: max(0, room - used - 1))
    }

    /// The cells of a line, without the spaces at its end.
    private static func joined(_ cells: [String]) -> String {
        var line = cells.joined(separator: String(repeating: " ", count: gap))
        while line.last == " " { line.removeLast() }
        return line
    }
}
