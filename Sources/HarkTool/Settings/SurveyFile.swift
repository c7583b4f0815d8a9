import Glibc
import HarkClient
import HarkWire

/// Changes the survey file of a running daemon: adds or removes a survey, and makes the daemon reload it.
///
/// The rest of the file is kept as it was written. If the daemon refuses the new file, the old one is restored.
struct SurveyFile: ~Copyable {
    private var connection: Connection
    let file: SettingsFile

    private static let member = "surveys"
    private static let empty = "{\n  \"surveys\": []\n}\n"

    /// - Parameter wantsSystem: Whether to use the machine's daemon in any case.
    init(wantsSystem: Bool) throws {
        var connection = try FleetSetup.connect(wantsSystem: wantsSystem)
        let asRoot = FleetSetup.asRoot(CommandLine.arguments)
        var request = SurveyList()
        request.limit = 1
        let list = try connection.call(request).value
        // Only administrators see the problems of the file.
        guard list.problems != nil else {
            throw FleetSetup.forbidden("this user may not change the surveys of the machine's daemon", asRoot)
        }
        // If there is no file yet, the daemon looks for one next to the settings.
        let path = try list.file ?? Self.usualFile(&connection)
        guard path.hasPrefix("/") else {
            throw ToolError(
                .configuration,
                "the surveys come from \(VisibleText.make(path)), and not from a file here",
                hint: "Change them there.")
        }
        let file = try SettingsFile(path)
        guard file.isWritable else { throw FleetSetup.forbidden("this user may not change \(path)", asRoot) }
        self.connection = connection
        self.file = file
    }

    private static func usualFile(_ connection: inout Connection) throws(ClientError) -> String {
        let isSystem = try connection.call(DaemonStatus()).value.isOfMachine
        let settings =
            try connection.call(ConfigGet()).value.file
            ?? FleetSetup.usualFile(isSystem: isSystem, SocketAddress.environment)
        return Examination.folder(of: settings) + "/surveys.json"
    }

    /// Appends a survey to the list.
    ///
    /// - Returns: The problems that the daemon reports about entries without effect.
    mutating func add(_ survey: JSONObject, id: String) throws -> [IssueInfo] {
        var editor = try editor()
        if Self.place(of: id, in: editor) != nil { throw Self.exists(id) }
        do throws(JSONFault) {
            try editor.append(survey, to: Self.member)
        } catch {
            throw broken(error)
        }
        return try take(editor.bytes, id: id, isThere: true)
    }

    /// Removes a survey. Returns what `add` does.
    mutating func remove(_ id: String) throws -> [IssueInfo] {
        var editor = try editor()
        guard let place = Self.place(of: id, in: editor) else {
            throw ToolError(
                .noInput, "\(file.path) has no survey '\(id)'", hint: "'hark surveys --rules' shows those there are.")
        }
        do throws(JSONFault) {
            try editor.removeElement(place, of: Self.member)
        } catch {
            throw broken(error)
        }
        return try take(editor.bytes, id: id, isThere: false)
    }

    /// Warns if neither the event nor one that meets the condition has occurred so far.
    mutating func doubt(_ event: String, _ condition: String?, _ console: Console) {
        let doubts = Doubts(console: console)
        doubts.event(event, &connection)
        doubts.condition(condition, on: event, &connection)
    }

    private static func exists(_ id: String) -> ToolError {
        ToolError(
            .configuration, "there is a survey '\(id)' already",
            hint: "Name the new one (--id NAME), or first 'hark survey remove \(id)'.")
    }

    private static func place(of id: String, in editor: JSONEditor) -> Int? {
        editor[member]?.arrayValue?.firstIndex { $0["id"]?.stringValue?.utf8.elementsEqual(id.utf8) == true }
    }

    private func editor() throws(ToolError) -> JSONEditor {
        do throws(JSONFault) {
            return try JSONEditor(file.original ?? Array(Self.empty.utf8))
        } catch {
            throw broken(error)
        }
    }

    private func broken(_ fault: JSONFault) -> ToolError {
        ToolError(
            .configuration, "\(file.path), \(fault.place): \(fault.problem)",
            hint: "Fix it first; 'hark config validate \(file.path)' shows all that is wrong with it.")
    }

    /// Writes the file and makes the daemon reload it.
    ///
    /// - Parameter isThere: Whether the daemon should have that survey afterwards.
    private mutating func take(_ bytes: [UInt8], id: String, isThere: Bool) throws -> [IssueInfo] {
        try file.write(bytes)
        do throws(ClientError) {
            _ = try connection.call(DaemonReload())
            let (ids, problems, read) = try listed()
            let isRead = read.map { FleetSetup.isSame($0, file.path) } ?? false
            if isRead, ids.contains(id) == isThere { return problems }
            let elsewhere =
                "it reads \(read ?? "its surveys from elsewhere"); HARK_CONFIG names the folder of its settings"
            throw ClientError(
                .refused(-32602), isRead ? Self.line(problems) ?? "it keeps the surveys it has" : elsewhere)
        } catch {
            guard case .refused = error.code else {
                throw ToolError(
                    error.exitCode,
                    "\(file.path) was changed, but it is not known whether the daemon has read it: \(error.message)",
                    hint: "'hark surveys --rules' shows what is in force.")
            }
            try file.restore()
            _ = try? connection.call(DaemonReload())
            throw ToolError(
                .configuration, "the daemon refuses it, so \(file.path) is unchanged: \(error.message)")
        }
    }

    /// Returns the ids of the surveys in force, the problems with the file, and its path.
    private mutating func listed() throws(ClientError) -> (ids: Set<String>, problems: [IssueInfo], file: String?) {
        var ids: Set<String> = []
        var problems: [IssueInfo] = []
        var file: String?
        var request = SurveyList()
        repeat {
            let page = try connection.call(request).value
            ids.formUnion(page.surveys.map(\.surveyId))
            problems = page.problems ?? []
            file = page.file
            request.after = page.next
        } while request.after != nil
        return (ids, problems, file)
    }

    private static func line(_ problems: [IssueInfo]) -> String? {
        problems.first.map { "\($0.path): \($0.message)" }
    }
}

extension SurveyFile {
    /// The default path of the surveys of this user's daemon.
    static var usual: String {
        let home = SocketAddress.environment("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 }
        let own = (home ?? (SocketAddress.environment("HOME") ?? "") + "/.config") + "/hark/surveys.json"
        return access(own, F_OK) == 0 ? own : "/etc/hark/surveys.json"
    }
}
