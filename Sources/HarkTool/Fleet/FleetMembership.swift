import Glibc
import HarkClient
import HarkWire

extension Command {
    static let fleetJoin: Command = Command(
        name: "join",
        summary: "Make this machine one of a fleet.",
        usage: ["mqtt[s]://HOST[:PORT]/FLEET"],
        about: """
            Puts "fleet" into the harkd.json of the daemon that other commands talk to, leaving all else in it as it is, and \
            has the daemon read it. Where the daemon refuses it, the file is put back. Then it waits up to 10 seconds for broker and hub; \
            that they are not there yet is no error, as the daemon goes on trying. What is recorded meanwhile is sent later.

            With --hub, this daemon is the one to which the others send.
            """,
        options: MembershipRequest.options + [FleetSettings.system],
        examples: [
            .init("hark fleet join mqtt://broker.example/shop --machine kiosk-1", "A machine."),
            .init(
                "sudo hark fleet join mqtts://broker.example/shop --user kiosk-1 --password-file /etc/hark/fleet.password --system",
                "The machine's daemon, over TLS."),
        ],
        operands: 1...1,
        run: { arguments, console in
            let request = try MembershipRequest(arguments, folder: currentFolder())
            var settings = try FleetSettings(wantsSystem: arguments.has(FleetSettings.system))
            var editor = try settings.editor()
            if let current = try settings.current() {
                let fleet = VisibleText.make(current.member("fleet")?.string ?? "?")
                throw inFleet("this daemon is in the fleet \(fleet) already")
            }
            if let member = editor[FleetSettings.member] {
                guard member.isNull else { throw inFleet("\(settings.file.path) names a fleet already") }
                try edit(&editor) { editor throws(JSONFault) in _ = try editor.remove(FleetSettings.member) }
            }
            try edit(&editor) { editor throws(JSONFault) in
                try editor.add(FleetSettings.member, request.settings)
            }
            let problems = try settings.take(editor.bytes)
            sayProblems(problems, "hark: warning: ", console)
            try told(request, &settings.connection, console)
        })

    static let fleetLeave: Command = Command(
        name: "leave",
        summary: "Take this machine out of its fleet.",
        about: """
            Takes "fleet" out of harkd.json and has the daemon read it. What was not sent yet stays in this machine's log, and \
            what came from the hub is no longer in force.
            """,
        options: [FleetSettings.system],
        run: { arguments, console in
            var settings = try FleetSettings(wantsSystem: arguments.has(FleetSettings.system))
            var editor = try settings.editor()
            guard editor[FleetSettings.member] != nil else {
                return console.say("hark: \(settings.file.path) names no fleet")
            }
            try edit(&editor) { editor throws(JSONFault) in _ = try editor.remove(FleetSettings.member) }
            let problems = try settings.take(editor.bytes)
            sayProblems(problems, "hark: warning: ", console)
            try console.print("left the fleet")
        })

    private static func inFleet(_ message: String) -> ToolError {
        ToolError(.configuration, message, hint: "'hark fleet leave' first.")
    }

    private static func edit(
        _ editor: inout JSONEditor, _ change: (inout JSONEditor) throws(JSONFault) -> Void
    ) throws(ToolError) {
        do throws(JSONFault) {
            try change(&editor)
        } catch {
            throw ToolError(.software, "harkd.json cannot be changed: \(error.message)")
        }
    }

    /// Says that the settings are in force, and waits a while for what they lead to.
    private static func told(
        _ request: MembershipRequest, _ connection: inout Connection, _ console: Console
    ) throws {
        let status = try connection.call(.fleetStatus) { $0.member(.machineLimit, 1) }
        let name = status.member("machine")?.string.map { " as \(VisibleText.make($0))" } ?? ""
        try console.print("joined the fleet \(request.fleet)\(request.isHub ? " as its hub" : name)")
        try console.flush()
        let last = try FleetWait.run(&connection) { console.say("hark: \($0)") }
        let state = FleetWords.text(FleetWords.state(last), FleetWords.role(last))
        guard FleetWait.isInPlace(last) else {
            let problem = last.member("problem")?.string.map { ": \(VisibleText.make($0))" } ?? ""
            console.say("hark: not there yet: \(state)\(problem)")
            return console.say("The daemon goes on trying; 'hark fleet' shows how it stands.")
        }
        try console.print(state)
    }

    private static func currentFolder() throws(ToolError) -> String {
        guard let found = getcwd(nil, 0) else { throw .file("find", "the current folder") }
        defer { free(found) }
        return String(cString: found)
    }
}
