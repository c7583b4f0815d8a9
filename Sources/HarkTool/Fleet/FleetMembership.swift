import Glibc
import HarkClient
import HarkWire

extension Command {
    static let fleetJoin: Command = Command(
        name: "join",
        summary: "Make this machine one of a fleet.",
        usage: ["mqtt[s]://HOST[:PORT]/FLEET"],
        about: """
            Puts "fleet" into the harkd.json of the daemon that other commands talk to, leaves the rest of the file as it is, \
            and lets the daemon read it. If the daemon refuses it, the old file is restored. Then hark waits up to 10 seconds \
            for the broker and the hub. It is no error if they are not there yet: the daemon keeps trying, and sends the records \
            later. The exit code is 77 if the broker refuses this daemon or something it needs to do, and 78 if a setting or its \
            file cannot be used.

            With --hub, this daemon becomes the hub to which the others send.
            """,
        options: MembershipRequest.options + [FleetSetup.system],
        examples: [
            .init("hark fleet join mqtt://broker.example/shop --machine kiosk-1", "A machine."),
            .init("sudo hark fleet join mqtts://broker.example/shop --system", "The machine's daemon, over TLS."),
        ],
        operands: 1...1,
        run: { arguments, console in
            let request = try MembershipRequest(arguments, folder: currentFolder())
            var settings = try FleetSetup(wantsSystem: arguments.has(FleetSetup.system))
            let problems = try settings.join(request.settings)
            sayProblems(problems, "hark: warning: ", console)
            try told(request, &settings.connection, console)
        })

    static let fleetLeave: Command = Command(
        name: "leave",
        summary: "Take this machine out of its fleet.",
        about: """
            Removes "fleet" from harkd.json and lets the daemon read it. Unsent records stay in this machine's log, and \
            documents from the hub are no longer in force.
            """,
        options: [FleetSetup.system],
        run: { arguments, console in
            var settings = try FleetSetup(wantsSystem: arguments.has(FleetSetup.system))
            guard try settings.isInFleet() else {
                return console.say("hark: this daemon is in no fleet")
            }
            let problems = try settings.leave()
            sayProblems(problems, "hark: warning: ", console)
            try console.print("left the fleet")
        })

    /// Prints that the settings are in force, and waits a while for the connection to the fleet.
    private static func told(
        _ request: MembershipRequest, _ connection: inout Connection, _ console: Console
    ) throws {
        let status = try FleetReport.ask(&connection)
        let name = (status.own?.machine).map { " as \(VisibleText.make($0))" } ?? ""
        try console.print("joined the fleet \(request.fleet)\(request.isHub ? " as its hub" : name)")
        try console.flush()
        let last = try FleetWait.run(&connection) { console.say("hark: \($0)") }
        let state = FleetWords.text(last.fleet?.state, last.role)
        guard FleetWait.isInPlace(last) || last.fleet?.state == .standby else {
            let problem = last.fleet?.problem.map { ": \(VisibleText.make($0))" } ?? ""
            console.say("hark: not there yet: \(state)\(problem)")
            console.say("The daemon goes on trying; 'hark fleet' shows how it stands.")
            switch last.fleet?.cause {
            case .login, .rights: throw QuietExit(exit: .noPermission)
            case .setting: throw QuietExit(exit: .configuration)
            case .unreachable, .limit, .broker, nil: return
            }
        }
        try console.print(state)
    }

    static func currentFolder() throws(ToolError) -> String {
        guard let found = getcwd(nil, 0) else { throw .file("find", "the current folder") }
        defer { free(found) }
        return String(cString: found)
    }
}
