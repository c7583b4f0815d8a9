import HarkAsking
import HarkClient
import HarkWire

/// The answer of `daemon.status` on one screen. What a daemon does not report is left out.
struct StatusText {
    private let status: DaemonStatusInfo
    private let style: TextStyle
    /// The width for wrapping; nil for no wrapping, when the output is not a terminal.
    private let columns: Int?

    init(_ status: DaemonStatusInfo, _ style: TextStyle, columns: Int? = nil) {
        self.status = status
        self.style = style
        self.columns = columns
    }

    var text: String {
        var rows: [(String, String)] = [("state", state)]
        rows += problems + store + commit + traffic + journal + timers
        if let note = ClockNote.text(status.believedTime) { rows.append(("clock", style.warning(note))) }
        var lines = WordWrap.hanging("", headline, indent: 6, columns: columns)
        lines += rows.flatMap { WordWrap.hanging(style.dim(TextWidth.padded($0, 13)), $1, columns: columns) }
        let destinations = status.destinations ?? []
        if !destinations.isEmpty { lines += ["", DestinationTable.text(destinations, style, columns: columns)] }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let version = status.version.map { VisibleText.make($0) } ?? "?"
        let pid = status.pid.map { ", pid \($0)" } ?? ""
        let uptime = status.uptimeSeconds.map { ", up \(DurationText.make(Double($0)))" } ?? ""
        let mode = status.mode.map { ", \(VisibleText.make($0)) mode" } ?? ""
        return style.bold("harkd \(version)") + mode + pid + uptime
    }

    private var state: String {
        let state = VisibleText.make(status.state ?? "?")
        guard state == DaemonState.degraded.rawValue else { return style.good(state) }
        let reason = status.degradedReason.map { ": \(VisibleText.make($0))" } ?? ""
        return style.bad(state) + reason
    }

    private var problems: [(String, String)] {
        (status.problems ?? []).map { problem in
            ("problem", style.warning(VisibleText.make("\(problem.about): \(problem.message)")))
        }
    }

    private var store: [(String, String)] {
        guard let store = status.store else { return [] }
        let size = [
            DurationText.bytes(store.bytes), "\(DurationText.bytes(store.walBytes)) of log",
            store.freeBytes.map { "\(DurationText.bytes($0)) free on its disk" },
        ]
        let counts = [
            Plural.count(store.events, "event"), Plural.count(store.sessions, "session"), "last is #\(store.lastSeq)",
        ]
        return [
            ("store", VisibleText.make(store.path)), ("holds", counts.joined(separator: ", ")),
            ("size", size.compactMap(\.self).joined(separator: ", ")),
        ] + removedByRule
    }

    /// The records that retention has removed, if there are any.
    private var removedByRule: [(String, String)] {
        (status.removedByRule ?? []).compactMap { removed in
            let counts = [
                (removed.sessions, "session"), (removed.events, "event"), (removed.showings, "showing"),
                (removed.texts, "text"),
            ].filter { $0.0 > 0 }.map { Plural.count($0.0, $0.1) }
            return counts.isEmpty ? nil : ("removed", "\(counts.joined(separator: ", ")) by \(removed.rule)")
        }
    }

    private var commit: [(String, String)] {
        guard let commit = status.commit, commit.count > 0 else { return [] }
        let count = commit.count
        let parts = [
            commit.p50Microseconds.map { "median \(DurationText.decimal(Double($0) / 1000)) ms" },
            commit.p99Microseconds.map { "99 % within \(DurationText.decimal(Double($0) / 1000)) ms" },
            "last batch \(commit.lastBatch)",
        ]
        return [("commits", ([Plural.grouped(count)] + parts.compactMap { $0 }).joined(separator: ", "))]
    }

    private var traffic: [(String, String)] {
        var rows: [(String, String)] = []
        if let rates = status.rates {
            let minute = Self.rate(rates.eventsPerSecond1m, over: "1m")
            rows.append(("rates", minute + ", " + Self.rate(rates.eventsPerSecond5m, over: "5m")))
        }
        if let clients = status.clients {
            let counts = [
                Plural.count(clients.connections, "connection"), Plural.count(clients.subscriptions, "subscription"),
            ]
            rows.append(("clients", counts.joined(separator: ", ")))
            for (label, count) in [
                ("refused", clients.refused), ("dropped", clients.dropped), ("cut off", clients.slowReaders),
            ] where count > 0 {
                rows.append((label, style.warning(Plural.grouped(count))))
            }
        }
        if let memory = status.memoryBytes { rows.append(("memory", DurationText.bytes(memory))) }
        return rows
    }

    /// How far systemd's journal was read.
    private var journal: [(String, String)] {
        (status.journal ?? []).map { source in
            let state =
                switch JournalState(rawValue: source.state) {
                case .reading?: "is being read"
                case .failed?: "is not read"
                case .waiting?, nil: "is read"
                }
            let upTo = source.upTo.map { " up to \(LocalTime.secondText($0))" } ?? ""
            var text = "\(VisibleText.make(source.name)) \(state)\(upTo), \(source.taken) taken"
            if source.refused > 0 { text += ", \(source.refused) refused" }
            if source.gaps > 0 { text += ", \(Plural.count(source.gaps, "gap"))" }
            return ("journal", text)
        }
    }

    private var timers: [(String, String)] {
        (status.timers ?? []).map { timer in
            ("timer", "\(VisibleText.make(timer.name)) at \(LocalTime.secondText(timer.dueAt))")
        }
    }

    static func rate(_ rate: Double, over span: String) -> String {
        "\(DurationText.decimal(rate)) events a second over \(span)"
    }
}
