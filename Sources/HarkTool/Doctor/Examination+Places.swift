import HarkClient
import HarkWire

/// Checks whether the records of this account are all in the one daemon that is asked.
extension Examination {
    var places: [Finding] {
        guard isUsualPlace, machine.value("HARK_SOCKET") == nil else { return [] }
        return (isSystem ? [leftInOwn] : [leftInMachines, lingering]).compactMap(\.self)
    }

    /// Records of this account in its own daemon.
    private var leftInOwn: Finding? {
        let state = SocketPath.userState(environment: machine.environment)
        // Without the machine's daemon, the account's own may only be stopped for now, or rebuild its store.
        guard machine.entry(state + "/hark.db") != nil, case .answers = contact else { return nil }
        let folder = Examination.quoted(state)
        return .warning(
            "place",
            "this account's commands ask the machine's daemon, but \(state) has records of a daemon of its own",
            .mend("hark import \(folder)/archive && mkdir -p \(folder)/moved && mv \(folder)/hark.db* \(folder)/moved/")
        )
    }

    /// Records of this account in the machine's daemon, from before it had its own.
    private var leftInMachines: Finding? {
        guard let env = machine.program("env"), let hark = machine.program("hark"),
            case .answers(let outline, _, _) = machine.contact(SocketAddress(path: SocketPath.system))
        else { return nil }
        let there = "HARK_SOCKET=\(SocketPath.system)"
        let question = "SELECT 1 FROM sessions WHERE uid = \(machine.uid) LIMIT 1"
        guard let answer = machine.run([env, there, hark, "sql", "--json", question]).success, !answer.isEmpty else {
            return nil
        }
        let message = "this account has a daemon of its own, but its earlier records are in the machine's daemon"
        // A user who sees records of others would export and clear those too.
        guard DaemonStatusInfo(JSONText(outline)).store == nil else {
            return .warning(
                "place", message, .look("\(there) hark sql '\(question.replacing("1", with: "*", maxReplacements: 1))'")
            )
        }
        let folder = Examination.quoted(SocketPath.userState(environment: machine.environment) + "/from-machine")
        return .warning(
            "place", message,
            .mend("\(there) hark export \(folder) && hark import \(folder) && \(there) hark clear --all --yes"))
    }

    /// A user's daemon ends at logout, unless the account lingers.
    private var lingering: Finding? {
        guard machine.uid != 0, machine.entry("/run/systemd/system") != nil,
            machine.entry(SocketAddress.choice(machine.environment)) != nil,
            let name = machine.value("USER") ?? machine.value("LOGNAME"), !name.contains("/"),
            machine.entry("/var/lib/systemd/linger/\(name)") == nil
        else { return nil }
        return .warning(
            "lingering",
            "this account's own daemon runs only while the account is logged in: at other times, records of its cron jobs are refused",
            .mend("loginctl enable-linger"))
    }
}
