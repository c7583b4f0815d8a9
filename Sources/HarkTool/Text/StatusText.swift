import HarkAsking
import HarkClient
import HarkWire

/// The answer of `daemon.status` on one screen. What a daemon does not report is left out.
struct StatusText {
    private let status: JSONText
    private let style: TextStyle
    /// The width for wrapping; nil for no wrapping, when the output is not a terminal.
    private let columns: Int?

    init(_ status: JSONText, _ style: TextStyle, columns: Int? = nil) {
        self.status = status
        self.style = style
        self.columns = columns
    }

    var text: String {
        var rows: [(String, String)] = [("state", state)]
        rows += problems + store + commit + traffic + journal + timers
        if let note = ClockNote.text(status) { rows.append(("clock", style.warning(note))) }
        var lines = WordWrap.hanging("", headline, indent: 6, columns: columns)
        lines += rows.flatMap { WordWrap.hanging(style.dim(TextWidth.padded($0, 13)), $1, columns: columns) }
        let destinations = status.member("destinations")?.elements ?? []
        if !destinations.isEmpty { lines += ["", DestinationTable.text(destinations, style, columns: columns)] }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let version = VisibleText.make(status.member("version")?.string ?? "?")
        let pid = status.member("pid")?.int.map { ", pid \($0)" } ?? ""
        let uptime = status.member("uptimeSeconds")?.double.map { ", up \(DurationText.make($0))" } ?? ""
        let mode = status.member("mode")?.string.map { ", \(VisibleText.make($0)) mode" } ?? ""
        return style.bold("harkd \(version)") + mode + pid + uptime
    }

    private var state: String {
        let state = VisibleText.make(status.member("state")?.string ?? "?")
        guard state == DaemonState.degraded.rawValue else { return style.good(state) }
        let reason = (status.member("degradedReason")?.string).map { ": \(VisibleText.make($0))" } ?? ""
        return style.bad(state) + reason
    }

    private var problems: [(String, String)] {
        (status.member("problems")?.elements ?? []).compactMap { problem in
            guard let message = problem.member("message")?.string else { return nil }
            let about = problem.member("about")?.string ?? "?"
            return ("problem", style.warning(VisibleText.make("\(about): \(message)")))
        }
    }

    private var store: [(String, String)] {
        guard let store = status.member("store") else { return [] }
        var rows: [(String, String)] = []
        if let path = store.member("path")?.string { rows.append(("store", VisibleText.make(path))) }
        let size = [
            store.member("bytes")?.int.map { DurationText.bytes($0) },
            store.member("walBytes")?.int.map { "\(DurationText.bytes($0)) of log" },
            store.member("freeBytes")?.int.map { "\(DurationText.bytes($0)) free on its disk" },
        ]
        let counts = [
            store.member("events")?.int.map { Plural.count($0, "event") },
            store.member("sessions")?.int.map { Plural.count($0, "session") },
            store.member("lastSeq")?.int.map { "last is #\($0)" },
        ]
        rows.append(("holds", counts.compactMap { $0 }.joined(separator: ", ")))
        rows.append(("size", size.compactMap { $0 }.joined(separator: ", ")))
        rows += removedByRule
        return rows.filter { !$0.1.isEmpty }
    }

    /// What retention has removed, where it has.
    private var removedByRule: [(String, String)] {
        (status.member("removedByRule")?.elements ?? []).compactMap { removed in
            let counts = [("session", "sessions"), ("event", "events"), ("showing", "showings"), ("text", "texts")]
                .compactMap {
                    one, many in
                    removed.member(many)?.int.flatMap { $0 > 0 ? Plural.count($0, one) : nil }
                }
            guard !counts.isEmpty else { return nil }
            return ("removed", "\(counts.joined(separator: ", ")) by \(removed.member("rule")?.string ?? "?")")
        }
    }

    private var commit: [(String, String)] {
        guard let commit = status.member("commit"), let count = commit.member("count")?.int, count > 0 else {
            return []
        }
        let parts = [
            commit.member("p50Microseconds")?.double.map { "median \(DurationText.decimal($0 / 1000)) ms" },
            commit.member("p99Microseconds")?.double.map { "99 % within \(DurationText.decimal($0 / 1000)) ms" },
            commit.member("lastBatch")?.int.map { "last batch \($0)" },
        ]
        return [("commits", ([Plural.grouped(count)] + parts.compactMap { $0 }).joined(separator: ", "))]
    }

    private var traffic: [(String, String)] {
        var rows: [(String, String)] = []
        var rates: [String] = []
        status.member("rates")?.forEachMember { key, value in
            if let rate = value.double { rates.append(Self.rate(String(decoding: key, as: UTF8.self), rate)) }
            return true
        }
        if !rates.isEmpty { rows.append(("rates", rates.joined(separator: ", "))) }
        let clients = status.member("clients")
        let counts = [
            clients?.member("connections")?.int.map { Plural.count($0, "connection") },
            clients?.member("subscriptions")?.int.map { Plural.count($0, "subscription") },
        ]
        rows.append(("clients", counts.compactMap { $0 }.joined(separator: ", ")))
        for (name, label) in [("refused", "refused"), ("dropped", "dropped"), ("slowReaders", "cut off")]
            as [(StaticString, String)]
        {
            if let count = clients?.member(name)?.int, count > 0 {
                rows.append((label, style.warning(Plural.grouped(count))))
            }
        }
        if let memory = status.member("memoryBytes")?.int { rows.append(("memory", DurationText.bytes(memory))) }
        return rows.filter { !$0.1.isEmpty }
    }

    /// How far systemd's journal was read.
    private var journal: [(String, String)] {
        (status.member("journal")?.elements ?? []).compactMap { source in
            guard let name = source.member("name")?.string else { return nil }
            let state =
                switch source.member("state")?.string.flatMap(JournalState.init) {
                case .reading?: "is being read"
                case .failed?: "is not read"
                case .waiting?, nil: "is read"
                }
            let upTo = source.member("upTo")?.string.flatMap { Timestamp($0) }.map {
                " up to \(LocalTime.secondText($0))"
            }
            var text = "\(VisibleText.make(name)) \(state)\(upTo ?? ""), \(source.member("taken")?.int ?? 0) taken"
            if let refused = source.member("refused")?.int, refused > 0 { text += ", \(refused) refused" }
            if let gaps = source.member("gaps")?.int, gaps > 0 { text += ", \(Plural.count(gaps, "gap"))" }
            return ("journal", text)
        }
    }

    private var timers: [(String, String)] {
        (status.member("timers")?.elements ?? []).compactMap { timer in
            guard let name = timer.member("name")?.string, let due = timer.member("dueAt")?.string else { return nil }
            let time = Timestamp(due).map { LocalTime.secondText($0) } ?? VisibleText.make(due)
            return ("timer", "\(VisibleText.make(name)) at \(time)")
        }
    }

    /// `eventsPerSecond1m` is `12.5 events a second over 1m`.
    static func rate(_ name: String, _ value: Double) -> String {
        guard let range = name.firstRange(of: "PerSecond") else {
            return "\(VisibleText.make(name)) \(DurationText.decimal(value))"
        }
        let span = name[range.upperBound...]
        return "\(DurationText.decimal(value)) \(name[..<range.lowerBound]) a second"
            + (span.isEmpty ? "" : " over \(span)")
    }
}
