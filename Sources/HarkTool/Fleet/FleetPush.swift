import HarkClient
import HarkFleet
import HarkWire

/// `hark fleet push`: sends documents from the hub to its machines.
struct FleetPush {
    private let given: FleetDocumentKind?
    private let group: String?

    init(_ kind: String?, group: String?) throws(ToolError) {
        given = try kind.map { text throws(ToolError) in try Self.kind(text) }
        if let group, !FleetName.isValid(group) {
            throw .usage("'--group' takes \(FleetName.words), not '\(group)'")
        }
        self.group = group
    }

    static func kind(_ text: String) throws(ToolError) -> FleetDocumentKind {
        guard let kind = FleetDocumentKind(rawValue: text) else {
            let kinds = FleetDocumentKind.allCases.map(\.rawValue)
            throw .usage(
                "there are no '\(text)' to push",
                hint: Suggestion.nearest(to: text, among: kinds).map { "Did you mean '\($0)'?" }
                    ?? "It is one of: \(kinds.joined(separator: ", ")).")
        }
        return kind
    }

    static func scope(_ group: String?) -> String { group.map { "for group \($0)" } ?? "for all machines" }

    /// Throws unless the daemon is a hub, as only a hub has documents for machines.
    static func requireHub(_ connection: inout Connection) throws {
        let status = try FleetReport.ask(&connection)
        switch status.role {
        case .hub: return
        case .machine:
            let fleet = VisibleText.make(status.fleet?.name ?? "its fleet")
            throw ToolError(
                .configuration, "this daemon is a machine of the fleet \(fleet), and documents come from the hub",
                hint: "Run this on the machine whose daemon is the hub.")
        case nil: throw ToolError(.configuration, "this daemon is in no fleet", hint: FleetWords.howToJoin)
        }
    }

    func run(_ arguments: Arguments, _ console: Console) throws {
        let files = try arguments.operands.map { path throws(ToolError) in
            try FleetDocumentFile(path, given: given)
        }
        for kind in FleetDocumentKind.allCases where files.count(where: { $0.kind == kind }) > 1 {
            throw ToolError.usage(
                "two files have \(kind.rawValue), and a machine takes only one", hint: "Push one of them.")
        }
        var connection = try Connection()
        try Self.requireHub(&connection)
        // Push all files or none.
        let areFine = try files.map { try isFine($0, &connection, console) }
        guard !areFine.contains(false) else { throw QuietExit(exit: .data) }
        for file in files { try push(file, arguments, &connection, console) }
    }

    private func isFine(
        _ file: FleetDocumentFile, _ connection: inout Connection, _ console: Console
    ) throws(ClientError) -> Bool {
        guard let checked = file.checked else { return true }
        var request = ConfigValidate()
        (request.text, request.kind) = (file.text, checked)
        let told = try connection.call(request).value
        if told.valid { return true }
        for line in file.lines(told.errors, "error") { console.say(line) }
        for line in file.lines(told.problems, "warning") { console.say(line) }
        return false
    }

    private func push(
        _ file: FleetDocumentFile, _ arguments: Arguments, _ connection: inout Connection, _ console: Console
    ) throws {
        var request = FleetPushDocument()
        request.kind = file.kind
        request.text = file.text
        request.group = group
        let reply = try connection.call(request)
        let result = reply.value
        for line in file.lines(result.issues, "warning") { console.say(line) }
        if try console.printed(json: reply.text, arguments) { return }
        let note = result.changed ? "" : ", in force already"
        try console.print("\(file.kind.rawValue) \(VisibleText.make(result.version)) \(Self.scope(group))\(note)")
    }
}
