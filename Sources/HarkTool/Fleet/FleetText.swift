import HarkAsking
import HarkClient
import HarkWire

/// How it stands with a fleet, as people read it: of a machine, or of a hub with its machines.
struct FleetText {
    let report: FleetReport
    let style: TextStyle
    /// Of the terminal; nil: as wide as it needs.
    let columns: Int?
    let now: Timestamp
    /// Whether only some machines were asked for, so that nothing is said of all.
    var isPart = false

    private var status: JSONText { report.status }

    var text: String {
        report.role == .hub && isPart
            ? table : ([head] + (report.role == .hub ? ["", table] : [])).joined(separator: "\n")
    }

    private var table: String {
        FleetTable(machines: report.machines, style: style, columns: columns, now: now).text + "\n\n" + summary
    }

    // MARK: One daemon

    private var head: String {
        var rows: [(String, String)] = [("fleet", fleet)]
        if report.role == .machine { rows.append(("machine", machine)) }
        rows.append(("state", state))
        if let problem = status.member("problem")?.string {
            rows.append(("problem", style.warning(VisibleText.make(problem))))
        }
        if report.role == .machine { rows += lag }
        if let refused = status.member("refused")?.int, refused > 0 {
            rows.append(("refused", style.warning("\(Plural.count(refused, "record")) since the start")))
        }
        rows += (status.member("documents")?.elements ?? []).map { ("document", document($0)) }
        rows += (status.member("clears")?.elements ?? []).map { ("to clear", clear($0)) }
        rows += (status.member("notes")?.elements ?? []).compactMap(\.string).map {
            ("note", style.warning(VisibleText.make($0)))
        }
        return rows.map { style.dim(TextWidth.padded($0, 10)) + $1 }.joined(separator: "\n")
    }

    private func word(_ name: StaticString) -> String? { status.member(name)?.string.map { VisibleText.make($0) } }

    private var fleet: String {
        let role = report.role == .hub ? ", as its hub" : ""
        return style.bold(word("fleet") ?? "?") + " at \(word("broker") ?? "?")" + role
    }

    private var machine: String {
        (word("machine") ?? "?") + (word("group").map { ", in group \($0)" } ?? "")
    }

    private var state: String {
        let state = FleetWords.state(status)
        let text = FleetWords.text(state, report.role)
        switch state {
        case .ready, .serving: return style.good(text)
        case .connecting, .alone: return style.bad(text)
        case .greeting, .standby, nil: return text
        }
    }

    private var lag: [(String, String)] {
        var parts: [String] = []
        if let cursor = status.member("cursor")?.int, cursor > 0 { parts.append("up to #\(cursor)") }
        switch status.member("pending")?.int {
        case 0?: parts.append("nothing waits")
        case let count?: parts.append("\(Plural.count(count, "record")) \(count == 1 ? "waits" : "wait")")
        case nil: parts.append("what waits is not counted yet")
        }
        if let age = FleetWords.age(status.member("acknowledgedAt")?.string, now: now) {
            parts.append("acknowledged \(age)")
        }
        let hub = word("hub").map { ("hub", $0) }
        return (hub.map { [$0] } ?? []) + [("sent", parts.joined(separator: ", "))]
    }

    private func document(_ document: JSONText) -> String {
        let kind = VisibleText.make(document.member("kind")?.string ?? "?")
        let version = VisibleText.make(document.member("version")?.string ?? "?")
        // A machine is not told whether it was for its group.
        let scope = document.member("group").map { group in
            group.string.map { " for group \(VisibleText.make($0))" } ?? " for all machines"
        }
        let age = FleetWords.age(document.member("pushedAt")?.string, now: now).map { ", pushed \($0)" } ?? ""
        let problem = document.member("problem")?.string.map { style.bad("; not in force: \(VisibleText.make($0))") }
        return "\(kind) \(version)\(scope ?? "")\(age)\(problem ?? "")"
    }

    /// `kiosk-1: user ada, 3 sessions, 2 min ago: hark clear --machine kiosk-1 --user ada`
    private func clear(_ clear: JSONText) -> String {
        let machine = clear.member("machine")?.string ?? "?"
        let (what, option) =
            switch clear.member("target")?.string {
            case "user":
                clear.member("userId")?.string.map {
                    ("user \(VisibleText.value($0))", "--user \(Examination.quoted($0))")
                }
                    ?? ("whoever was anonymous", "--anonymous")
            case "session":
                clear.member("sessionId")?.string.map {
                    ("session \(VisibleText.make($0))", "--session \(Examination.quoted($0))")
                }
                    ?? ("a session", "")
            default: ("all", "")
            }
        let age = FleetWords.age(clear.member("clearedAt")?.string, now: now).map { ", cleared \($0)" } ?? ""
        let count = Plural.count(clear.member("sessions")?.int ?? 0, "session")
        let command = "hark clear --machine \(Examination.quoted(machine))" + (option.isEmpty ? "" : " " + option)
        return style.warning("\(VisibleText.make(machine)): \(what), \(count)\(age): ") + VisibleText.make(command)
    }

    // MARK: All machines

    /// `38 of 40 machines are connected; 2 are behind`
    private var summary: String {
        let count = number("machineCount") { _ in true }
        guard count > 0 else { return "no machine has been heard of yet" }
        let here = number("hereCount") { $0.member("here")?.bool == true }
        let behind = number("behindCount", FleetTable.isBehind)
        let verb = here == 1 ? "is" : "are"
        let first = "\(Plural.grouped(here)) of \(Plural.count(count, "machine")) \(verb) connected"
        let last =
            behind == 0
            ? "none is behind" : style.warning("\(Plural.grouped(behind)) \(behind == 1 ? "is" : "are") behind")
        guard report.isCut else { return "\(first); \(last)" }
        return
            "\(first); \(last)\nThese are the first \(Plural.grouped(Int64(report.machines.count))). Name those you want to see "
            + "(hark fleet status 'kiosk-1*'), or take --json for all."
    }

    /// Of all machines, also those that are not shown.
    private func number(_ member: StaticString, _ isCounted: (JSONText) -> Bool) -> Int64 {
        let shown = Int64(report.machines.count(where: isCounted))
        return report.isCut ? status.member(member)?.int ?? shown : shown
    }
}
