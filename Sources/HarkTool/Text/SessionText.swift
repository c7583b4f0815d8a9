import HarkAsking
import HarkClient
import HarkWire

/// Sessions for people.
enum SessionText {
    /// Calls a method that returns a session, and prints the session's id or the reply.
    static func printID(
        of method: MethodShape, _ params: JSONWriter, _ arguments: Arguments, _ console: Console
    ) throws {
        try arguments.atMostOne(of: .json, .quiet)
        var connection = try Connection()
        let result = try connection.call(method, params.bytes)
        guard !arguments.has(.quiet) else { return }
        Warnings.say(result, console)
        let id = result.member("session")?.member("id")?.string ?? ""
        if arguments.has(.json) { try console.print(json: result) } else { try console.print(VisibleText.make(id)) }
    }

    static func print(_ session: JSONText, _ arguments: Arguments, _ console: Console) throws {
        if arguments.has(.json) {
            try console.print(json: session)
        } else {
            let lines = WordWrap.hanging("", line(session, console.style), indent: 4, columns: console.columns)
            try console.print(lines.joined(separator: "\n"))
        }
    }

    /// `2026-11-21 12:08:00  1 h 12 min  ada  kiosk  17 events  0b6f…`
    static func line(_ session: JSONText, _ style: TextStyle) -> String {
        let started = session.member("startedAt")?.string ?? ""
        let start = Timestamp(started).map { LocalTime.secondText($0) } ?? VisibleText.make(started)
        let lasted = TextWidth.padded(Self.lasted(session) ?? "open", 12)
        let user = TextWidth.padded(user(session), 12)
        let app = TextWidth.padded(VisibleText.value(session.member("app")?.string ?? ""), 8)
        let events = Plural.count(session.member("eventCount")?.int ?? 0, "event")
        let isOpen = Self.lasted(session) == nil
        return [
            style.dim(start), isOpen ? style.good(lasted) : lasted, style.name(user), app,
            TextWidth.padded(events, 12), VisibleText.make(session.member("id")?.string ?? ""),
            session.member("machine")?.string.map { "from " + VisibleText.value($0) } ?? "",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// Returns everything about a session, one field per line.
    static func page(_ session: JSONText, _ style: TextStyle) -> String {
        var rows = [
            ("session", VisibleText.make(session.member("id")?.string ?? "")),
            ("user", user(session)),
            ("app", VisibleText.value(session.member("app")?.string ?? "")),
            ("started", LocalTime.text(iso: session.member("startedAt")?.string ?? "")),
        ]
        if let ended = session.member("endedAt")?.string {
            rows.append(("ended", LocalTime.text(iso: ended) + (lasted(session).map { " (after \($0))" } ?? "")))
        } else {
            rows.append(("ended", "still open"))
        }
        if let machine = session.member("machine")?.string { rows.append(("machine", VisibleText.value(machine))) }
        if let uid = session.member("uid")?.int { rows.append(("uid", String(uid))) }
        if let count = session.member("eventCount")?.int { rows.append(("events", Plural.grouped(count))) }
        let metadata = EventText.properties(session.member("metadata"), style)
        if !metadata.isEmpty { rows.append(("metadata", metadata)) }
        return rows.map { style.dim(TextWidth.padded($0, 10)) + $1 }.joined(separator: "\n")
    }

    private static func user(_ session: JSONText) -> String {
        (session.member("userId")?.string).map { VisibleText.value($0) } ?? "-"
    }

    /// Returns the duration; nil while the session is open.
    private static func lasted(_ session: JSONText) -> String? {
        guard let start = session.member("startedAt")?.string.flatMap({ Timestamp($0) }),
            let end = session.member("endedAt")?.string.flatMap({ Timestamp($0) })
        else { return nil }
        return DurationText.make(Double(end.milliseconds - start.milliseconds) / 1000)
    }
}
