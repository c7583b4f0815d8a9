import Foundation
import HarkWire
import Testing

/// `hark export`, `import`, `clear` and `retention` against the real daemon.
@Suite(.endToEnd) struct ArchiveCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    /// Users whose names a careless program would stumble over.
    private static let users = ["ada", "Ada", "..", "a/b", "a b", "anon", "é\u{1}", String(repeating: "x", count: 300)]

    private func fill() throws {
        try home.hark("record", "anonymous", "n:=1.0")
        for (index, user) in Self.users.enumerated() {
            try home.hark("session", "start", "-u", user, "of=\(index)")
            try home.hark(
                ["record", "--stdin"],
                input: (1...30).map { "{\"name\":\"e\",\"properties\":{\"i\":\($0),\"text\":\"ü\\n\\u0001\"}}\n" }
                    .joined())
        }
        try home.hark("session", "end")
    }

    @Test("an export writes through no link in its folder, and an import does not wait for a pipe")
    func links() throws {
        try home.hark("record", "e")
        try home.hark("session", "end")
        let folder = home.files.path("copy")
        var run = try home.shell(
            """
            mkdir -p \(folder)/elsewhere && cd \(folder) && echo mine > victim && mkdir export && touch export/.hark-export \
            && ln -s ../victim export/.hark-export.new && $hark export export && cat victim \
            && mv export/users elsewhere && ln -s ../elsewhere/users export/users && $hark export export
            """)
        #expect(run.output.contains("mine\n") && run.ending == .exited(73), "\(run)")
        #expect(run.errors.contains("'users'") && run.errors.contains("link"), "\(run)")
        run = try home.shell(
            """
            cd \(folder)/elsewhere && for file in users/*/sessions/*/events.jsonl; do rm "$file" && mkfifo "$file"; done \
            && timeout 20 $hark import .
            """)
        #expect(run.ending == .exited(65) && run.errors.contains("pipe"), "\(run)")
    }

    /// The text of every file of a tree by its path, sequence numbers taken out.
    private func tree(_ folder: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        for name in FileManager.default.enumerator(atPath: folder + "/users") ?? .init() {
            guard let name = name as? String, name.hasSuffix(".json") || name.hasSuffix(".jsonl") else { continue }
            let text = try String(contentsOfFile: "\(folder)/users/\(name)", encoding: .utf8)
            texts["/users/" + name] = text.replacing(/"seq":\d+,/, with: "")
        }
        return texts
    }

    @Test("E10: export, clear and import is a round trip without loss, and a second import changes nothing")
    func roundTrip() throws {
        try fill()
        let first = home.files.path("first")
        let exported = try home.hark("export", first)
        #expect(exported.output == "exported 9 sessions with 241 events to \(first)\n")
        #expect(try home.hark("clear", "--all", "--yes").output == "removed 241 events and 9 sessions\n")
        #expect(try home.hark("events", "--json").output == "")
        let imported = try home.hark("import", first)
        #expect(imported.output == "imported 9 sessions and 241 events, 0 sessions and 0 events were there\n")
        let again = try home.hark("import", first)
        #expect(again.output == "imported 0 sessions and 0 events, 9 sessions and 241 events were there\n")
        let second = home.files.path("second")
        try home.hark("export", second)
        let before = try tree(first)
        #expect(before.count == 18)
        #expect(try tree(second) == before)
    }

    @Test("E7, E10: an export is the archive tree the daemon keeps")
    func likeTheArchive() throws {
        try fill()
        let folder = home.files.path("copy")
        try home.hark("export", folder)
        let copy = try tree(folder)
        try waitUntil("the archive is written") { try tree(home.state + "/archive") == copy }
        #expect(copy.count == 18)
    }

    @Test("an export is brought up to date, and no other folder is written to")
    func targets() throws {
        try home.hark("record", "a")
        let folder = home.files.path("copy")
        try home.hark("export", folder)
        try home.hark("record", "b")
        #expect(try home.hark("export", folder).output.contains("with 2 events"))
        #expect(try tree(folder).values.contains { $0.contains("\"b\"") })

        try check("mkdir") { mkdir(home.files.path("other"), 0o755) }
        try home.files.write("mine", to: "other/file")
        for target in ["other", "other/file"] {
            let run = try home.hark("export", home.files.path(target))
            #expect(run.ending == .exited(73))
            #expect(run.errors.contains(target))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files.path("other")) == ["file"])
    }

    @Test("what cannot be imported is named with its file and line, and the rest is imported")
    func damaged() throws {
        try fill()
        let folder = home.files.path("copy")
        try home.hark("export", folder)
        try home.hark("clear", "--all", "--yes")
        let paths = try tree(folder).keys.sorted()
        let events = folder + paths.filter { $0.contains("/ada/") && $0.hasSuffix("events.jsonl") }[0]
        let session = folder + paths.filter { $0.contains("/anon/") && $0.hasSuffix("session.json") }[0]
        var lines = try String(contentsOfFile: events, encoding: .utf8).split(separator: "\n").map(String.init)
        lines[4] = "torn {"
        lines[5] = lines[5].replacing("\"name\":\"e\"", with: "\"name\":5")
        lines[29] = String(lines[29].dropLast(20))
        try lines.joined(separator: "\n").write(toFile: events, atomically: true, encoding: .utf8)
        try "{}".write(toFile: session, atomically: true, encoding: .utf8)
        let run = try home.hark("import", folder)
        #expect(run.ending == .exited(65))
        for place in ["\(events):5: ", "\(events):6: ", "\(events):30: ", "\(session): "] {
            #expect(run.errors.contains(place))
        }
        #expect(run.output.contains("imported 8 sessions and 237 events"))
    }

    @Test("a folder that is no archive is told as that")
    func noArchive() throws {
        #expect(try home.hark("import", home.files.path("nowhere")).ending == .exited(66))
        #expect(try home.hark("import", "/etc").ending == .exited(66))
    }

    @Test("E6: clearing takes one user, the anonymous or one session, and a script has to say yes")
    func clear() throws {
        try home.hark("record", "a")
        let session = try home.hark("session", "start", "-u", "ada").lines[0]
        try home.hark("record", "b")
        let refused = try home.hark("clear", "--all")
        #expect(refused.ending == .exited(64))
        #expect(refused.errors.contains("--yes"))
        #expect(try home.hark("clear", "--yes").ending == .exited(64))
        #expect(try home.hark("clear", "--all", "--user", "x", "--yes").ending == .exited(64))
        #expect(try home.hark("clear", "--anonymous", "--yes").output == "removed 1 event and 1 session\n")
        #expect(
            try home.hark("clear", "--session", String(session), "--yes").output == "removed 1 event and 1 session\n")
        #expect(try home.hark("clear", "--session", String(session), "--yes").ending == .exited(66))
        #expect(try home.hark("clear", "--user", "nobody", "--yes").output == "removed 0 events and 0 sessions\n")
    }

    @Test("E9: retention is shown, tried and applied, by preset and by numbers")
    func retention() throws {
        for _ in 1...5 { try home.hark("session", "start", "-u", "ada") }
        #expect(try home.hark("retention").output.contains("at most 730 days old, a store of at most "))
        let standard = try home.hark("retention", "apply", "--policy", "standard", "--dry-run").output
        #expect(standard.contains("at most 30 days old, at most 50 sessions per user, answers for "))
        let tried = try home.hark("retention", "apply", "--max-sessions", "2", "--dry-run")
        #expect(tried.output.contains("would remove 3 sessions"))
        #expect(try home.hark("retention", "apply", "--max-sessions", "2").output.contains("removed 3 sessions"))
        #expect(try home.hark("session", "list").lines.count == 2)
        #expect(try home.hark("retention", "apply", "--policy", "none", "--max-sessions", "2").ending == .exited(64))
        #expect(try home.hark("retention", "apply", "--policy", "lots").ending == .exited(65))
    }
}
