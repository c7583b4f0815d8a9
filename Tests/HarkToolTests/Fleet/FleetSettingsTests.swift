import Glibc
import HarkClient
import HarkTesting
import HarkWire
import Synchronization
import Testing

@testable import HarkTool

/// `hark fleet join` and `leave` on settings of a daemon that is made up.
@Suite struct FleetSettingsTests {
    private let folder: TemporaryFolder
    private static let member: JSONObject = ["broker": "mqtt://b", "name": "shop"]
    private static let noFleet = MadeUpDaemon.Reply.result(#"{"role":null}"#)

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.path + "/harkd.json" }

    private func write(_ text: String) throws {
        try #require(InputFile.write(text, to: file))
    }

    private func text() throws -> String { String(decoding: try InputFile.read(file), as: UTF8.self) }

    /// - Parameter reload: The result of a reload of the settings.
    private func daemon(
        mode: String = "user", reload: MadeUpDaemon.Reply = .result(#"{"reloaded":true,"problems":[]}"#),
        fleet: MadeUpDaemon.Reply = noFleet
    ) -> MadeUpDaemon {
        MadeUpDaemon { [file] method, _ in
            switch method {
            case "daemon.status": .result(#"{"mode":"\#(mode)"}"#)
            case "config.get":
                .result(#"{"config":{},"file":\#(access(file, F_OK) == 0 ? "\"\(file)\"" : "null"),"problems":[]}"#)
            case "daemon.reload": reload
            default: fleet
            }
        }
    }

    private func settings(_ daemon: MadeUpDaemon) throws -> FleetSetup {
        try FleetSetup(
            Connection(adopting: daemon.descriptor), words: ["hark", "fleet", "join", "mqtt://b/it's"],
            environment: { [folder] name in name == "HARK_CONFIG" ? folder.path : nil })
    }

    @Test("the member goes into the file and out of it, and nothing else changes, who may read it included")
    func joinAndLeave() throws {
        let original = "// mine\n{\n  'archive': true, // yes\n}\n"
        try write(original)
        chmod(file, 0o640)
        let daemon = daemon()
        var settings = try settings(daemon)
        _ = try settings.join(Self.member)
        let joined =
            "// mine\n{\n  'archive': true, // yes\n  \"fleet\": {\n    \"broker\": \"mqtt://b\",\n    \"name\": \"shop\"\n  },\n}\n"
        #expect(try text() == joined)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(daemon.methods == ["daemon.status", "config.get", "fleet.status", "daemon.reload", "config.get"])
        var again = try self.settings(self.daemon())
        _ = try again.leave()
        #expect(try text() == original)
        #expect(try names() == ["harkd.json"])
    }

    private func names() throws -> [String] {
        let stream = try #require(opendir(folder.path))
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    @Test("where there is no file, one is made; where the daemon refuses it, it is gone again")
    func created() throws {
        var settings = try settings(daemon())
        _ = try settings.join(Self.member)
        #expect(try text() == "{\n  \"fleet\": {\n    \"broker\": \"mqtt://b\",\n    \"name\": \"shop\"\n  }\n}\n")
        #expect(unlink(file) == 0)
        let refusing = daemon(
            reload: .refusal(code: -32602, reason: "invalidParams", message: "$.fleet.name: too long"))
        var refused = try self.settings(refusing)
        let error = #expect(throws: ToolError.self) { try refused.join(Self.member) }
        #expect(error?.exit == .configuration && error?.message.contains("$.fleet.name: too long") == true)
        #expect(try names() == [])
    }

    @Test("what the daemon refuses is put back, byte by byte")
    func putBack() throws {
        try write("{a: 1,}")
        let refusing = daemon(reload: .refusal(code: -32602, reason: "invalidParams", message: "no"))
        var settings = try settings(refusing)
        #expect(throws: ToolError.self) { try settings.join(Self.member) }
        #expect(try text() == "{a: 1,}")
    }

    @Test("a link stays a link, and what it leads to is changed")
    func link() throws {
        try write("{}")
        #expect(rename(file, folder.path + "/real.json") == 0 && symlink("real.json", file) == 0)
        var settings = try settings(daemon())
        _ = try settings.join(Self.member)
        var status = stat()
        #expect(lstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try text().contains("shop"))
    }

    @Test(
        "a link that somebody else has laid is refused, be it the last or one on the way", .enabled(if: geteuid() == 0))
    func foreignLink() throws {
        try write("{}")
        for (from, name) in [(file, "real.json"), (folder.path, "elsewhere")] {
            let target = folder.path + ".\(name)"
            #expect(rename(from, target) == 0 && symlink(target, from) == 0 && lchown(from, 65_534, 65_534) == 0)
            let error = #expect(throws: ToolError.self) { _ = try SettingsFile(file) }
            #expect(error?.exit == .noPermission && error?.message.contains("another user") == true)
            #expect(lchown(from, 0, 0) == 0)
            #expect(try SettingsFile(file).original == Array("{}".utf8))
            #expect(unlink(from) == 0 && rename(target, from) == 0)
        }
    }

    @Test("a daemon in a fleet, and a file that names one, are left alone; null names none")
    func inFleet() throws {
        try write("{}")
        var settings = try settings(daemon(fleet: .result(#"{"role":"machine","fleet":"shop"}"#)))
        #expect(
            throws: ToolError(
                .configuration, "this daemon is in the fleet shop already", hint: "'hark fleet leave' first.")
        ) { try settings.join(Self.member) }
        try write(#"{"fleet": {"name": "other"}}"#)
        var named = try self.settings(daemon())
        #expect(throws: ToolError.self) { try named.join(Self.member) }
        #expect(try text() == #"{"fleet": {"name": "other"}}"#)
        try write(#"{"fleet": null}"#)
        var null = try self.settings(daemon())
        _ = try null.join(Self.member)
        #expect(try text() == #"{"fleet": {"broker": "mqtt://b", "name": "shop"}}"#)
    }

    @Test("a fleet that the daemon is in, and the file no longer names, can be left")
    func leftBehind() throws {
        try write("{a: 1}")
        let daemon = daemon(fleet: .result(#"{"role":"machine","fleet":"shop"}"#))
        var settings = try settings(daemon)
        #expect(try settings.isInFleet())
        _ = try settings.leave()
        #expect(try text() == "{a: 1}" && daemon.methods.contains("daemon.reload"))
        var none = try self.settings(self.daemon())
        #expect(try !none.isInFleet())
    }

    @Test("a fault in the file is told with its place, and the file left alone")
    func broken() throws {
        try write("{\n  a 1\n}")
        var settings = try settings(daemon())
        let error = #expect(throws: ToolError.self) { try settings.join(Self.member) }
        #expect(error?.message.contains("line 2, column 5: this is not JSON: a colon is missing") == true)
        #expect(try text() == "{\n  a 1\n}")
    }

    @Test("who may not change the settings of the machine's daemon is told what to say")
    func forbidden() throws {
        let forbidding = MadeUpDaemon { method, _ in
            method == "daemon.status"
                ? .result(#"{"mode":"system"}"#) : .refusal(code: -32002, reason: "forbidden", message: "no")
        }
        let error = #expect(throws: ToolError.self) { _ = try settings(forbidding) }
        #expect(error?.exit == .noPermission)
        #expect(error?.hint == #"Say: sudo hark fleet join 'mqtt://b/it'\''s' --system"#)
        #expect(FleetSetup.asRoot(["hark", "fleet", "leave", "-s"]) == "sudo hark fleet leave --system")
    }

    @Test("a daemon that reads another file is not taken for one that has read this")
    func elsewhere() throws {
        try write("{}")
        let file = file
        let daemon = MadeUpDaemon { method, _ in
            switch method {
            case "daemon.status": .result(#"{"mode":"user"}"#)
            case "config.get": .result(#"{"config":{},"file":null,"problems":[]}"#)
            case "daemon.reload": .result(#"{"reloaded":true,"problems":[]}"#)
            default: Self.noFleet
            }
        }
        var settings = try settings(daemon)
        let error = #expect(throws: ToolError.self) { try settings.join(Self.member) }
        #expect(error?.hint == "Name the folder of its settings in HARK_CONFIG.")
        #expect(try InputFile.read(file) == Array("{}".utf8))
    }

    @Test("what is waited for is said once each, and the wait ends when the machine has its place")
    func waiting() throws {
        let turns = Mutex(0)
        let daemon = MadeUpDaemon { _, _ in
            let turn = turns.withLock { turn in
                turn += 1
                return turn
            }
            let state = ["connecting", "connecting", "alone", "ready"][min(turn, 4) - 1]
            let problem = turn < 3 ? #""refused the password""# : "null"
            return .result(#"{"role":"machine","state":"\#(state)","broker":"mqtt://b","problem":\#(problem)}"#)
        }
        var connection = Connection(adopting: daemon.descriptor)
        var said: [String] = []
        let last = try FleetWait.run(&connection) { said.append($0) }
        #expect(FleetWait.isInPlace(last))
        #expect(said == ["waiting for mqtt://b (refused the password)", "the broker is reached; waiting for a hub"])
        let end = try FleetWait.run(&connection, patience: 0) { said.append($0) }
        #expect(FleetWait.isInPlace(end))
    }
}

extension InputFile {
    /// Writes a file anew.
    fileprivate static func write(_ text: String, to path: String) -> Bool {
        guard let stream = fopen(path, "w") else { return false }
        let count = fputs(text, stream)
        return fclose(stream) == 0 && count >= 0
    }
}
