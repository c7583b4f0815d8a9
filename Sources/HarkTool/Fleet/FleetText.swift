import HarkAsking
import HarkClient
import HarkWire

/// The state of a fleet for people: of a machine, or of a hub with its machines.
struct FleetText {
    let report: FleetReport
    let style: TextStyle
    /// The width of the terminal; nil for no limit.
    let columns: Int?
    let now: Timestamp
    /// Whether only some machines were asked for, so that no totals are shown.
    var isPart = false

    private var status: FleetStatus.Result { report.status }

    var text: String {
        report.role == .hub && isPart
            ? table : ([head] + (report.role == .hub ? ["", table] : [])).joined(separator: "\n")
    }

    private var table: String {
        let machines = FleetTable(machines: report.machines, style: style, columns: columns, now: now).text
        return machines.isEmpty ? summary : machines + "\n\n" + summary
    }

    // MARK: One daemon

    private var head: String {
        var rows: [(String, String)] = [("fleet", fleet)]
        if report.role == .machine { rows.append(("machine", machine)) }
        rows.append(("state", state))
        if let problem = status.fleet?.problem {
            rows.append(("problem", style.warning(VisibleText.make(problem))))
        }
        if report.role == .machine { rows += lag }
        if let refused = status.hub?.refused, refused > 0 {
            rows.append(("refused", style.warning("\(Plural.count(refused, "record")) since the start")))
        }
        rows += (status.fleet?.documents ?? []).map { ("document", document($0)) }
        if report.role == .machine {
            let held = (status.fleet?.documents ?? []).flatMap { FleetWords.held($0) }
            rows += held.map { ("held back", style.warning($0)) }
        }
        rows += (status.hub?.clears ?? []).map { ("to clear", clear($0)) }
        rows += (status.own?.notes ?? []).map { ("note", style.warning(VisibleText.make($0))) }
        return rows.map { style.dim(TextWidth.padded($0, 10)) + $1 }.joined(separator: "\n")
    }

    private var fleet: String {
        let role = report.role == .hub ? ", as its hub" : ""
        return style.bold(VisibleText.make(status.fleet?.name ?? "?")) + " at "
            + VisibleText.make(status.fleet?.broker ?? "?") + role
    }

    private var machine: String {
        let group = (status.own?.group).map { ", in group \(VisibleText.make($0))" }
        return VisibleText.make(status.own?.machine ?? "?") + (group ?? "")
    }

    private var state: String {
        let state = status.fleet?.state
        let text = FleetWords.text(state, report.role)
        switch state {
        case .ready, .serving: return style.good(text)
        case .connecting, .alone: return style.bad(text)
        case .greeting, .standby, nil: return text
        }
    }

    private var lag: [(String, String)] {
        var parts: [String] = []
        if let cursor = status.own?.cursor, cursor > 0 { parts.append("up to #\(cursor)") }
        switch status.own?.pending {
        case 0?: parts.append("nothing waits")
        case let count?: parts.append("\(Plural.count(count, "record")) \(count == 1 ? "waits" : "wait")")
        case nil: parts.append("what waits is not counted yet")
        }
        if let age = FleetWords.age(status.own?.acknowledgedAt, now: now) {
            parts.append("acknowledged \(age)")
        }
        let hub = (status.fleet?.hub).map { ("hub", $0.description) }
        return (hub.map { [$0] } ?? []) + [("sent", parts.joined(separator: ", "))]
    }

    private func document(_ document: FleetDocumentInfo) -> String {
        let scope = document.group.map { " for group \(VisibleText.make($0))" } ?? " for all machines"
        let age = FleetWords.age(document.pushedAt, now: now).map { ", pushed \($0)" } ?? ""
        let problem = document.problem.map { style.bad("; not in force: \(VisibleText.make($0))") }
        // A machine does not know whether the document was for its group.
        return "\(document.kind.rawValue) \(VisibleText.make(document.version))"
            + "\(document.pushedAt == nil ? "" : scope)\(age)\(problem ?? "")"
    }

    /// `kiosk-1: user ada, 3 sessions, 2 min ago: hark clear --machine kiosk-1 --user ada`
    private func clear(_ clear: FleetClearInfo) -> String {
        let (what, option) =
            switch clear.target {
            case "user":
                clear.userId.map { ("user \(VisibleText.value($0))", "--user \(Examination.quoted($0))") }
                    ?? ("all anonymous users", "--anonymous")
            case "session": clear.sessionId.map { ("session \($0)", "--session \($0)") } ?? ("a session", "")
            default: ("all", "")
            }
        let age = FleetWords.age(clear.clearedAt, now: now).map { ", cleared \($0)" } ?? ""
        let count = Plural.count(clear.sessions, "session")
        let command = ["hark clear --machine \(Examination.quoted(clear.machine))", option].filter { !$0.isEmpty }
        return style.warning("\(VisibleText.make(clear.machine)): \(what), \(count)\(age): ")
            + VisibleText.make(command.joined(separator: " "))
    }

    // MARK: All machines

    /// `38 of 40 machines are connected; 2 are behind`
    private var summary: String {
        let count = number(status.hub?.machineCount) { _ in true }
        guard count > 0 else { return "no machine has been heard of yet" }
        let here = number(status.hub?.hereCount, \.here)
        let behind = number(status.hub?.behindCount, FleetTable.isBehind)
        let verb = here == 1 ? "is" : "are"
        let first = "\(Plural.grouped(here)) of \(Plural.count(count, "machine")) \(verb) connected"
        let last =
            behind == 0
            ? "none is behind" : style.warning("\(Plural.grouped(behind)) \(behind == 1 ? "is" : "are") behind")
        let older = number(status.hub?.heldCount) { !FleetWords.heldCount($0.documents).isEmpty }
        let lacking =
            older == 0
            ? ""
            : style.warning(
                "\n\(Plural.count(older, "machine")) \(older == 1 ? "has" : "have") an older Hark, which cannot read "
                    + "everything that is pushed: hark fleet status MACHINE shows what is held back")
        guard report.isCut else { return "\(first); \(last)\(lacking)" }
        return
            "\(first); \(last)\(lacking)\nThese are the first \(Plural.grouped(Int64(report.machines.count))). Name those you want to see "
            + "(hark fleet status 'kiosk-1*'), or take --json for all."
    }

    /// Counts all machines, including ones that are not shown.
    private func number(_ told: Int64?, _ isCounted: (FleetMachineInfo) -> Bool) -> Int64 {
        let shown = Int64(report.machines.count(where: isCounted))
        return report.isCut ? told ?? shown : shown
    }
}
