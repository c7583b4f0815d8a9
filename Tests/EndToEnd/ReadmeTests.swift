import Foundation
import HarkWire
import Testing

/// The examples of the README and the guide to the socket work as printed.
@Suite(.endToEnd) struct ReadmeTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let guide: DocumentedPage

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
        guide = try DocumentedPage("docs/guides/socket.md")
    }

    @Test("the first lines print what the README says, but for ids, times and processes")
    func tour() throws {
        #expect(try PageReader(home).read(DocumentedPage("README.md")) == 1)
    }

    @Test("the guide to recording prints what it says")
    func recording() throws {
        #expect(try PageReader(home).read(DocumentedPage("docs/guides/record.md")) == 3)
    }

    @Test("the five lines of shell record an event")
    func shellLines() throws {
        let run = try shell(try block("sh", containing: "socat"))
        #expect(run.output.contains(#""result":{"id":""#))
        #expect(try names() == ["backup_done"])
    }

    @Test("the lines of Python record an event and print its number")
    func pythonLines() throws {
        try home.files.write(try block("python"), to: "five.py")
        let run = try shell("/usr/bin/python3 five.py")
        #expect(run.errors == "")
        #expect(Int(run.output.trimmingCharacters(in: .whitespacesAndNewlines)) == 2)
        #expect(try names() == ["backup_done"])
    }

    @Test(
        "where no variable tells, as in a cron job, the shell's and Python's lines and hark find the socket themselves",
        .enabled(if: MountSpace.isPossible))
    func withoutVariables() throws {
        let space = try MountSpace()
        try space.run("mount", "-t", "tmpfs", "none", "/run")
        let person = home.files.path("person")
        for place in ["/run/user/\(getuid())/hark", person + "/.local/state/hark", "/run/hark"] {
            try space.run("mkdir", "-p", place)
            try space.run("ln", "-s", home.socket, place + "/hark.sock")
            let before = try names().count
            try home.files.write(try block("python"), to: "five.py")
            for line in [try block("sh", containing: "socat"), "/usr/bin/python3 five.py", "hark record backup_done"] {
                let run = try shell(line, through: space.prefix, variables: ["HOME": person])
                #expect(run.ending == .exited(0) && run.errors == "", "\(place): \(line): \(run.errors)")
            }
            #expect(try names().count == before + 3)
            try space.run("rm", "-r", place)
            if place.hasPrefix("/run/user") { try space.run("rm", "-r", "/run/user") }
        }
    }

    @Test(
        "who has enabled a daemon of their own, or named a socket, records nowhere else while that is away",
        .enabled(if: MountSpace.isPossible))
    func ownIsAway() throws {
        let space = try MountSpace()
        try space.run("mount", "-t", "tmpfs", "none", "/run")
        let person = home.files.path("chooser")
        let choice = person + "/.config/systemd/user/sockets.target.wants"
        for place in [choice, "/run/hark", "/run/user/\(getuid())", person + "/.local/state/hark"] {
            try space.run("mkdir", "-p", place)
        }
        for place in ["/run/hark", person + "/.local/state/hark"] {
            try space.run("ln", "-s", home.socket, place + "/hark.sock")
        }
        try home.files.write("", to: "chooser/.config/systemd/user/sockets.target.wants/harkd.socket")
        try home.files.write(try block("python"), to: "five.py")
        for variables in [["HOME": person], ["HOME": home.files.path, "HARK_SOCKET": home.files.path("nowhere")]] {
            for line in [try block("sh", containing: "socat"), "/usr/bin/python3 five.py", "hark record backup_done"] {
                let run = try shell(line, through: space.prefix, variables: variables)
                #expect(run.ending != .exited(0) && !run.errors.isEmpty, "\(line)")
            }
        }
        #expect(try names().isEmpty)
    }

    private func names() throws -> [String] {
        let events = try daemon.connect().call("event.list")["events"]?.arrayValue ?? []
        return events.compactMap { $0["name"]?.stringValue }
    }

    /// Runs shell in the folder of the daemon's home, as somebody with `hark` on the PATH.
    private func shell(
        _ script: String, through prefix: [String] = [], variables: [String: String]? = nil
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        let programs = URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().path
        return try Child.run(
            prefix + ["bash", "-c", "cd '\(home.files.path)'\n\(script)"],
            environment: (variables ?? ["HARK_SOCKET": home.socket])
                .merging(["PATH": "\(programs):/usr/bin:/bin", "TZ": "UTC"]) { $1 })
    }

    /// The content of the first code block of a language (that holds a text).
    private func block(_ language: String, containing text: String = "") throws -> String {
        let blocks = guide.blocks.filter { $0.language == language }.map(\.text)
        return try #require(blocks.first { text.isEmpty || $0.contains(text) })
    }
}
