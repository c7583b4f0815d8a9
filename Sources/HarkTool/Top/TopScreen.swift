import HarkAsking
import HarkClient
import HarkWire

/// The screen of `hark top`, or its single printout: the daemon's state, waiting surveys, and incoming events.
struct TopScreen {
    let board: TopBoard
    /// The reply of `daemon.status`; nil while there is no daemon.
    let status: DaemonStatusInfo?
    /// The number of waiting surveys, and whether there may be more.
    let surveys: (count: Int, isMore: Bool)
    let size: TerminalSize
    var isPaused = false
    /// The name that keys are about.
    var selected: String?

    var frame: ScreenFrame {
        var frame = ScreenFrame()
        let head = head(columns: size.columns)
        let foot = size.rows > 8 ? [StyledLine(TextWidth.padded(hints, size.columns), .bar)] : []
        let rows = board.ordered
        let sum = size.rows > 10 && !rows.isEmpty ? [sum] : []
        let room = max(1, size.rows - head.count - 1 - sum.count - foot.count)
        let place = rows.firstIndex { $0.name == selected } ?? 0
        let top = max(0, min(place - room / 2, rows.count - room))
        frame.lines = head + [headline] + sum + rows.dropFirst(top).prefix(room).map(line)
        if rows.isEmpty { frame.lines.append(StyledLine("Nothing has come in yet.", .dim)) }
        if !foot.isEmpty {
            while frame.lines.count < size.rows - 1 { frame.lines.append(StyledLine()) }
        }
        frame.lines = (frame.lines + foot).prefix(size.rows).map { $0.clipped(to: size.columns) }
        return frame
    }

    /// All rows, for a pipe.
    var printed: [String] {
        (head(columns: nil) + [headline] + board.ordered.map(line)).map { line in
            String(line.text.reversed().drop { $0 == " " }.reversed())
        }
    }

    // MARK: State of the daemon

    /// - Parameter columns: The width of the screen, for which the first line leaves out its last parts; nil in a pipe.
    private func head(columns: Int?) -> [StyledLine] {
        guard let status else { return [StyledLine("The daemon went away; waiting for it.", .bad), StyledLine()] }
        var lines = [daemon(status, columns)]
        if let reason = status.degradedReason {
            lines.append(StyledLine(VisibleText.make(reason), .bad))
        }
        if size.rows > 10 { lines.append(holds(status, columns)) }
        lines += waiting(status, columns)
        for problem in (status.problems ?? []).prefix(2) where size.rows > 14 {
            lines.append(StyledLine(VisibleText.make(problem.message), .warning))
        }
        return lines + [StyledLine()]
    }

    private func daemon(_ status: DaemonStatusInfo, _ columns: Int?) -> StyledLine {
        var line = StyledLine("harkd \(VisibleText.make(status.version ?? "?"))", .bold)
        // First, so that it is visible on a narrow terminal too.
        if isPaused { line.append(" · paused", .warning) }
        var parts: [String] = []
        if let uptime = status.uptimeSeconds { parts.append(", up \(DurationText.make(Double(uptime)))") }
        parts.append(" · \(Self.rate(board.sums.last ?? 0)) events a second")
        if let median = status.commit?.p50Microseconds, let most = status.commit?.p99Microseconds {
            func text(_ microseconds: Int64) -> String { DurationText.decimal(Double(microseconds) / 1_000) }
            parts.append(" · commits \(text(median)) ms, 99 % in \(text(most)) ms")
        }
        for part in parts where columns.map({ line.width + TextWidth.of(part) <= $0 }) ?? true { line.append(part) }
        return line
    }

    private func holds(_ status: DaemonStatusInfo, _ columns: Int?) -> StyledLine {
        let parts = [
            status.store.map { Plural.count($0.events, "event") },
            status.store.map { DurationText.bytes($0.bytes) },
            status.memoryBytes.map { "\(DurationText.bytes($0)) of memory" },
            status.clients.map { Plural.count($0.connections, "connection") },
        ]
        let text = parts.compactMap(\.self).reduce(into: "") { text, part in
            let more = (text.isEmpty ? "" : " · ") + part
            if columns.map({ TextWidth.of(text) + TextWidth.of(more) <= $0 }) ?? true { text += more }
        }
        return StyledLine(text, .dim)
    }

    /// The lines about waiting surveys and records.
    private func waiting(_ status: DaemonStatusInfo, _ columns: Int?) -> [StyledLine] {
        var lines: [StyledLine] = []
        if surveys.count > 0 {
            let more =
                surveys.isMore
                ? "\(surveys.count) surveys or more wait"
                : surveys.count == 1
                    ? "1 survey waits" : "\(surveys.count) surveys wait"
            lines.append(StyledLine(more + "; hark ask answers", .accent))
        }
        let lagging = (status.destinations ?? []).filter { $0.lastError != nil || $0.pending ?? 0 > 0 }
        // A destination is off by choice, and must not hide one that lags.
        let ordered = columns == nil ? lagging : lagging.filter { !isOff($0) } + lagging.filter(isOff)
        for destination in ordered.prefix(size.rows > 14 ? 3 : 1) {
            let pending = destination.pending.map { "\(Plural.grouped($0)) wait" } ?? "counting"
            var line = StyledLine(VisibleText.make(destination.name) + ": ")
            let look = isOff(destination) ? Look.dim : .warning
            line.append(VisibleText.make(destination.state) + ", \(pending)", look)
            if let error = destination.lastError { line.append(" · \(VisibleText.make(error))", .dim) }
            lines.append(line)
        }
        return lines
    }

    private func isOff(_ destination: DestinationInfo) -> Bool {
        destination.state == DestinationState.off.rawValue
    }

    // MARK: Incoming events

    private static let number = 10
    private var hasTotal: Bool { size.columns >= 40 }
    private var sparkWidth: Int { size.columns < 50 ? 8 : min(40, size.columns / 3) }
    private var nameWidth: Int {
        max(8, size.columns - sparkWidth - 2 - (Self.number + 1) * (hasTotal ? 2 : 1))
    }

    private var headline: StyledLine {
        func title(_ text: String, _ order: TopBoard.Order) -> String { board.order == order ? text + "▾" : text }
        var line = TextWidth.padded(title("name", .name), nameWidth) + Self.right(title("a second", .rate))
        if hasTotal { line += Self.right(title("came", .total)) }
        return StyledLine(line, .dim)
    }

    private func line(_ row: TopBoard.Row) -> StyledLine {
        let shown = StyledLine(VisibleText.make(row.name)).clipped(to: nameWidth - 1).text
        var line = StyledLine(TextWidth.padded(shown, nameWidth), row.now > 0 ? .plain : .dim)
        if row.name == selected {
            // The mark is for terminals that show no styles.
            let marked = StyledLine("▸ " + VisibleText.make(row.name)).clipped(to: nameWidth - 1).text
            line = StyledLine(TextWidth.padded(marked, nameWidth), .bar)
        }
        line.append(Self.right(Self.rate(row.now)), row.now > 0 ? .bold : .dim)
        if hasTotal { line.append(Self.right(Plural.grouped(row.total))) }
        line.append("  " + Self.sparkline(row.rates, width: sparkWidth), .accent)
        return line
    }

    /// All names together.
    private var sum: StyledLine {
        var line = StyledLine(TextWidth.padded("all", nameWidth), .bold)
        line.append(Self.right(Self.rate(board.sums.last ?? 0)), .bold)
        if hasTotal { line.append(Self.right(Plural.grouped(board.total)), .bold) }
        line.append("  " + Self.sparkline(board.sums, width: sparkWidth), .good)
        return line
    }

    private static func right(_ text: String) -> String {
        String(repeating: " ", count: max(1, number + 1 - TextWidth.of(text))) + text
    }

    /// `0`, `0.4`, `12`, `1,234`
    static func rate(_ rate: Double) -> String {
        if rate > 0, rate < 10 { return rate < 0.05 ? "<0.1" : DurationText.decimal(rate) }
        return Plural.grouped(Int64(min(rate.rounded(), 1e15)))
    }

    private static let steps: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Draws the newest numbers relative to their maximum. Zero is blank.
    static func sparkline(_ rates: [Double], width: Int) -> String {
        let shown = rates.suffix(width)
        let most = shown.max() ?? 0
        let blank = String(repeating: " ", count: max(0, width - shown.count))
        guard most > 0 else { return blank + String(repeating: " ", count: shown.count) }
        return blank
            + String(
                shown.map { rate in
                    rate > 0 ? steps[min(steps.count - 1, Int(rate / most * Double(steps.count)))] : " "
                })
    }

    private var hints: String {
        let keys = ["q ends", "s sorts", isPaused ? "p goes on" : "p pauses", "↑↓ select", "Enter follows"]
        var text = " " + keys[0]
        for key in keys.dropFirst() where TextWidth.of(text) + TextWidth.of(key) + 3 <= size.columns {
            text += " · " + key
        }
        return text
    }
}
