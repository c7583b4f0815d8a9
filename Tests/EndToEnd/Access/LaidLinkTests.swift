import Foundation
import HarkWire
import Testing

/// Links that somebody has put where Hark writes a file: their targets stay as they are.
@Suite(.endToEnd) struct LaidLinkTests {
    private let home: DaemonHome

    init() throws {
        home = try DaemonHome()
        try home.files.write("mine\n", to: "victim")
    }

    private func lay(_ path: String) throws {
        unlink(path)
        try check("symlink") { symlink(home.files.path("victim"), path) }
    }

    private func expectUntouched() throws { #expect(try home.files.text("victim") == "mine\n") }

    private static let archived = [
        "log.json", "log.json.new", "S/events.jsonl", "S/events.jsonl.new", "S/session.json", "S/session.json.new",
    ]

    @Test("the archive tree is written through no link, and is whole afterwards", arguments: archived)
    func archive(name: String) throws {
        let tree = home.state + "/archive"
        var daemon = try home.start()
        for number in 0..<3 { try daemon.connect().call("event.record", #"{"name":"n\#(number)"}"#) }
        try daemon.connect().waitForArchive()
        try daemon.stop()
        let folder = try #require(try ArchiveFiles(tree).sessions.values.first?.folder)
        try lay(name.hasPrefix("S/") ? folder + name.dropFirst() : "\(tree)/\(name)")
        // Something is missing in it, so it is written anew.
        if name == "S/events.jsonl.new" { try check("truncate") { truncate(folder + "/events.jsonl", 100) } }
        daemon = try home.start()
        let client = try daemon.connect()
        try client.call("event.record", #"{"name":"behind"}"#)
        try client.call("session.end")
        try client.waitForArchive()
        try waitUntil("the tree has all of it") {
            try (try? ArchiveFiles(tree).lines.sorted()) == client.lines().sorted()
        }
        try daemon.stop()
        try expectUntouched()
    }

    @Test("nor is the file that says who serves the store, or the socket", arguments: ["state/hark.lock", "s.lock"])
    func locks(name: String) throws {
        try home.start().stop()
        try lay(home.files.path(name))
        let daemon = try home.launch()
        #expect(try daemon.child.wait() == .exited(73))
        let errors = try daemon.errors
        #expect(errors.contains("symbolic link") && errors.contains("remove it"), "\(errors)")
        try expectUntouched()
    }

    @Test(
        "nor the room that is kept for removals, nor the copy of a document, or of the log",
        arguments: [
            "hark.reserve", "hark.db-wal.new", "surveys.good.json.new",
        ])
    func drafts(name: String) throws {
        try home.files.write(
            #"{"surveys":[{"id":"s","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"x"}}}]}"#,
            to: "config/surveys.json")
        try check("mkdir") { mkdir(home.state, 0o700) }
        try lay("\(home.state)/\(name)")
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("event.record", #"{"name":"before"}"#)
        if name.hasPrefix("hark.db") { unlink(home.state + "/hark.db-wal") }
        try client.call("event.record", #"{"name":"after"}"#)
        try daemon.stop()
        try expectUntouched()
        #expect(try home.start().connect().lines().count == 2)
    }

    @Test(
        "root's commands that change settings are led nowhere by a link of somebody else's",
        .enabled(if: geteuid() == 0),
        arguments: [
            ["survey", "add", "--on", "x", "How was it?", "Good", "Bad"], ["survey", "remove", "s"],
            ["destination", "add", "http://localhost:9/"],
        ], [true, false])
    func settings(words: [String], isFolder: Bool) throws {
        let surveys = words[0] == "survey"
        let text =
            surveys
            ? #"{"surveys":[{"id":"s","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"x"}}}]}"#
            : "{}"
        let name = surveys ? "surveys.json" : "harkd.json"
        try home.files.write(text, to: "config/\(name)")
        let daemon = try home.start()
        defer { daemon.kill() }
        // The same, elsewhere, through a link that somebody makes while the daemon runs.
        let link = isFolder ? home.configuration : "\(home.configuration)/\(name)"
        let real = home.files.path("elsewhere")
        try check("rename") { rename(link, real) }
        try check("symlink") { symlink(real, link) }
        try check("lchown") { lchown(link, 65_534, 65_534) }
        let run = try home.hark(words)
        #expect(run.ending == .exited(77) && run.errors.contains("another user"), "\(run)")
        #expect(try home.files.text(isFolder ? "elsewhere/\(name)" : "elsewhere") == text)
        // Root's own link is followed, and stays.
        try check("lchown") { lchown(link, 0, 0) }
        let own = try home.hark(words)
        #expect(own.ending == .exited(0), "\(own)")
        #expect(try home.files.text(isFolder ? "elsewhere/\(name)" : "elsewhere") != text)
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }
}
