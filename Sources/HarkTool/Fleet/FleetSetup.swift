import Glibc
import HarkClient
import HarkWire

/// Changes the settings of a running daemon, such as its member `fleet`, and makes the daemon reload them.
struct FleetSetup: ~Copyable {
    var connection: Connection
    let file: SettingsFile
    /// Whether this is the machine's daemon.
    let isSystem: Bool
    /// This command, as it would be given by root.
    private let asRoot: String

    static let member = "fleet"
    static let system = Option("system", "s", "Use the machine's daemon, and not this user's.")

    /// - Parameter wantsSystem: Whether to use the machine's daemon in any case.
    init(wantsSystem: Bool) throws {
        try self.init(try Self.connect(wantsSystem: wantsSystem))
    }

    static func connect(wantsSystem: Bool) throws(ClientError) -> Connection {
        let isNamed = SocketAddress.environment("HARK_SOCKET")?.isEmpty == false
        return try Connection(
            to: wantsSystem && !isNamed ? [SocketAddress(path: SocketPath.system)] : SocketAddress.candidates())
    }

    /// - Parameter words: The command line.
    init(
        _ connection: consuming Connection, words: [String] = CommandLine.arguments,
        environment: (String) -> String? = SocketAddress.environment
    ) throws {
        var connection = connection
        let isSystem = try connection.call(DaemonStatus()).value.isOfMachine
        let asRoot = Self.asRoot(words)
        let told = try Self.told(&connection, asRoot)
        let file = try SettingsFile(told ?? Self.usualFile(isSystem: isSystem, environment))
        guard file.isWritable else {
            let why = "this user may not change \(file.path)"
            throw isSystem ? Self.forbidden(why, asRoot) : ToolError(.noPermission, why)
        }
        self.connection = connection
        self.file = file
        self.isSystem = isSystem
        self.asRoot = asRoot
    }

    /// Returns the settings file that the daemon has read; nil if there is none.
    private static func told(_ connection: inout Connection, _ asRoot: String) throws -> String? {
        do throws(ClientError) {
            return try connection.call(ConfigGet()).value.file
        } catch {
            guard error.exitCode == .noPermission else { throw error }
            throw forbidden("this user may not change the settings of the machine's daemon", asRoot)
        }
    }

    /// Returns the path where a daemon looks for settings if it has no file yet.
    static func usualFile(isSystem: Bool, _ environment: (String) -> String?) -> String {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let folder =
            value("HARK_CONFIG")
            ?? (isSystem ? "/etc/hark" : (value("XDG_CONFIG_HOME") ?? (value("HOME") ?? "") + "/.config") + "/hark")
        return folder + "/harkd.json"
    }

    /// Returns the same command for root. The option for the machine's daemon is added, since root may use another.
    static func asRoot(_ words: [String]) -> String {
        let rest = words.dropFirst().filter { $0 != "--system" && $0 != "-s" }
        return (["sudo", "hark"] + rest.map(Examination.quoted) + ["--system"]).joined(separator: " ")
    }

    static func forbidden(_ why: String, _ asRoot: String) -> ToolError {
        ToolError(.noPermission, why, hint: "Say: \(asRoot)")
    }

    /// Whether there is a fleet to leave: one in the file, or one the daemon is still in since the file named it.
    mutating func isInFleet() throws -> Bool {
        if try editor()[Self.member] != nil { return true }
        return try FleetReport.ask(&connection).role != nil
    }

    /// Adds the member.
    ///
    /// - Returns: The problems that the daemon reports about entries without effect.
    mutating func join(_ settings: JSONObject) throws -> [IssueInfo] {
        var editor = try editor()
        let status = try FleetReport.ask(&connection)
        if let fleet = status.fleet {
            throw Self.inFleet("this daemon is in the fleet \(VisibleText.make(fleet.name)) already")
        }
        // In settings, null means no fleet.
        guard editor[Self.member]?.isNull != false else { throw Self.inFleet("\(file.path) names a fleet already") }
        do throws(JSONFault) {
            try editor.remove(Self.member)
            try editor.add(Self.member, settings)
        } catch {
            throw broken(error)
        }
        return try take(editor.bytes)
    }

    /// Removes the member. Returns what `join` does.
    mutating func leave() throws -> [IssueInfo] {
        var editor = try editor()
        do throws(JSONFault) {
            try editor.remove(Self.member)
        } catch {
            throw broken(error)
        }
        return try take(editor.bytes)
    }

    /// Makes another change.
    ///
    /// - Returns: The problems that the daemon reports about entries without effect.
    mutating func change(_ body: (inout JSONEditor) throws -> Void) throws -> [IssueInfo] {
        var editor = try editor()
        do {
            try body(&editor)
        } catch let fault as JSONFault {
            throw broken(fault)
        }
        return try take(editor.bytes)
    }

    private static func inFleet(_ message: String) -> ToolError {
        ToolError(.configuration, message, hint: "'hark fleet leave' first.")
    }

    /// Returns an editor of the settings, which are an empty object if there is no file.
    private func editor() throws(ToolError) -> JSONEditor {
        do throws(JSONFault) {
            return try JSONEditor(file.original ?? Array("{\n}\n".utf8))
        } catch {
            throw broken(error)
        }
    }

    private func broken(_ fault: JSONFault) -> ToolError {
        ToolError(
            .configuration, "\(file.path), \(fault.place): \(fault.message)",
            hint: "Fix it first; 'hark config validate' shows all that is wrong with it.")
    }

    /// Writes the settings and makes the daemon reload them. If it refuses them, the old ones are restored.
    ///
    /// - Returns: The problems that the daemon reports about entries without effect.
    private mutating func take(_ bytes: [UInt8]) throws -> [IssueInfo] {
        try file.write(bytes)
        let (problems, read): ([IssueInfo], String?)
        do throws(ClientError) {
            problems = try connection.call(DaemonReload()).value.problems
            read = try connection.call(ConfigGet()).value.file
        } catch {
            throw try refusal(error)
        }
        if let read, Self.isSame(read, file.path) { return problems }
        try file.restore()
        throw ToolError(
            .configuration,
            "the daemon reads \(read ?? "its settings from elsewhere"), and not \(file.path), which is unchanged",
            hint: "Name the folder of its settings in HARK_CONFIG.")
    }

    /// Restores the old settings after the new ones were refused.
    private func refusal(_ error: ClientError) throws(ToolError) -> ToolError {
        guard case .refused = error.code else {
            return ToolError(
                error.exitCode,
                "\(file.path) was changed, but it is not known whether the daemon has read it: \(error.message)",
                hint: "'hark config reload' makes the daemon read it again.")
        }
        try file.restore()
        let isForbidden = error.exitCode == .noPermission
        return ToolError(
            isForbidden ? .noPermission : .configuration,
            "the daemon refuses it, so \(file.path) is unchanged: \(error.message)",
            hint: isForbidden ? "Say: \(asRoot)" : nil)
    }

    static func isSame(_ one: String, _ other: String) -> Bool {
        var (left, right) = (Glibc.stat(), Glibc.stat())
        return stat(one, &left) == 0 && stat(other, &right) == 0 && left.st_dev == right.st_dev
            && left.st_ino == right.st_ino
    }
}
