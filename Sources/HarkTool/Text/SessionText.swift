import HarkAsking
import HarkClient
import HarkWire

/// Sessions for people.
enum SessionText {
    /// Calls a method that returns a session, and prints the session's id or the reply.
    static func printID(
        of request: some WireMethod, _ arguments: Arguments, _ console: Console
    ) throws {
        try arguments.atMostOne(of: .json, .quiet)
        var connection = try Connection()
        let reply = try connection.call(request).text
        guard !arguments.has(.quiet) else { return }
        Warnings.say(reply, console)
        if try console.printed(json: reply, arguments) { return }
        try console.print(SessionResult(reply).session.id.description)
    }

    static func print(_ session: JSONText, _ arguments: Arguments, _ console: Console) throws {
        if try console.printed(json: session, arguments) { return }
        let lines = WordWrap.hanging("", line(SessionInfo(session), console.style), indent: 4, columns: console.columns)
        try console.print(lines.joined(separator: "\n"))
    }

    /// `2026-11-21 12:08:00  1 h 12 min  ada  kiosk  17 events  0b6f…`
    static func line(_ session: SessionInfo, _ style: TextStyle) -> String {
        let lasted = TextWidth.padded(Self.lasted(session) ?? "open", 12)
        return [
            style.dim(LocalTime.secondText(session.startedAt)), session.endedAt == nil ? style.good(lasted) : lasted,
            style.name(TextWidth.padded(user(session), 12)), TextWidth.padded(VisibleText.value(session.app), 8),
            TextWidth.padded(Plural.count(session.eventCount ?? 0, "event"), 12), session.id.description,
            session.machine.map { "from " + VisibleText.value($0) } ?? "",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// Returns everything about a session, one field per line.
    static func page(_ session: SessionInfo, _ style: TextStyle) -> String {
        var rows = [
            ("session", session.id.description), ("user", user(session)), ("app", VisibleText.value(session.app)),
            ("started", LocalTime.text(session.startedAt)),
        ]
        if let ended = session.endedAt {
            rows.append(("ended", LocalTime.text(ended) + (lasted(session).map { " (after \($0))" } ?? "")))
        } else {
            rows.append(("ended", "still open"))
        }
        if let machine = session.machine { rows.append(("machine", VisibleText.value(machine))) }
        rows.append(("uid", String(session.uid)))
        if let count = session.eventCount { rows.append(("events", Plural.grouped(count))) }
        let metadata = EventText.properties(session.metadata.json, style)
        if !metadata.isEmpty { rows.append(("metadata", metadata)) }
        return rows.map { style.dim(TextWidth.padded($0, 10)) + $1 }.joined(separator: "\n")
    }

    private static func user(_ session: SessionInfo) -> String { session.userId.map { VisibleText.value($0) } ?? "-" }

    /// Returns the duration; nil while the session is open.
    private static func lasted(_ session: SessionInfo) -> String? {
        session.endedAt.map { end in
            DurationText.make(Double(end.milliseconds - session.startedAt.milliseconds) / 1000)
        }
    }
}
