import Foundation
import HarkTesting
import HarkWire
import Testing

/// T5: `hark simulate` says what a file would have asked, and leaves no trace.
@Suite(.endToEnd) struct SimulateCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    private static func surveys(_ event: String, cooldown: Int) -> String {
        """
        {"surveys": [{"id": "visit", "title": "Your visit", "message": "How was it?", "options": ["Good", "Bad"],
          "oncePerSession": false, "cooldownSeconds": \(cooldown), "trigger": {"event": {"name": "\(event)"}}}]}
        """
    }

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        try home.files.write(Self.surveys("visit", cooldown: 0), to: "config/surveys.json")
        daemon = try home.start()
        try FileManager.default.createDirectory(atPath: home.files.path("temporary"), withIntermediateDirectories: true)
    }

    private func simulate(_ words: String) throws -> ToolRun {
        try home.shell(
            "cd '\(home.files.path("."))' && TMPDIR='\(home.files.path("temporary"))' hark simulate \(words)")
    }

    private func isClean() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: home.files.path("temporary")).isEmpty
    }

    @Test("a daemon's simulation that is told to end removes its folder")
    func terminated() throws {
        let run = try home.shell(
            """
            cd '\(home.files.path("."))' && export TMPDIR="$PWD/temporary" && mkfifo lines
            harkd --simulate config/surveys.json <lines >said & exec 9>lines
            until [ -n "$(ls temporary)" ]; do sleep 0.01; done
            kill -TERM $! && wait $!
            """)
        #expect(run.ending == .exited(0) && run.errors.isEmpty, "\(run)")
        #expect(try isClean())
    }

    @Test("of the file in force it says what happened, and of another one what would have, with the difference")
    func story() throws {
        _ = try home.hark("session", "start", "--user", "ada")
        for turn in 0..<3 {
            _ = try home.hark("record", "visit")
            _ = try home.hark("record", "noise")
            guard turn == 0 else { continue }
            let answer = try home.shell(
                #"id=$(hark call survey.pending | grep -o '"presentationId":"[^"]*"' | cut -d'"' -f4); "#
                    + "hark answer $id --option Good")
            #expect(answer.ending == .exited(0), "\(answer)")
        }
        let before = try home.hark("events", "--json").lines.count
        let same = try simulate("--list --json")
        #expect(same.ending == .exited(0), "\(same)")
        let showings = try same.lines.map { try JSONReader.read($0) }
        let real = try home.hark("answers", "visit", "--json").lines.map { try JSONReader.read($0) }
        #expect(showings.count == 1 && real.count == 1, "answered once, it is not asked again: \(same) \(real)")
        for name in ["presentedAt", "closedAt", "state", "userId"] {
            #expect(showings.first?[name] == real.first?[name])
        }
        #expect(showings.first?["assumed"] == false)

        try home.files.write(Self.surveys("noise", cooldown: 0), to: "new.json")
        let other = try simulate("new.json --against current --answered 0%")
        #expect(other.ending == .exited(0), "\(other)")
        #expect(other.output.contains("survey  in both  more  fewer"), "\(other)")
        #expect(other.output.contains("had no real counterpart"))
        let told = try simulate("new.json --against current --answered 0% --json")
        let report = try JSONReader.read(told.output)
        // The others came while the first was on the screen, or after it, as fast as the machine is.
        let asked = report["simulations"]?[0]?["surveys"]?[0]
        let shown = asked?["shown"]?.intValue ?? 0
        #expect(shown > 0 && asked?["assumed"]?.intValue == shown && asked?["answered"] == 0, "\(report)")
        #expect(shown + (asked?["whileWaiting"]?.intValue ?? 0) == 3 && asked?["reallyShown"] == 1, "\(report)")
        #expect(report["differences"]?[0]?["gone"] == 1 && report["differences"]?[0]?["both"] == 0, "\(report)")
        #expect(try home.hark("events", "--json").lines.count == before && isClean())
    }

    @Test("who dismissed a survey for ever is not asked it in a simulation that begins later")
    func refusedForEver() throws {
        _ = try home.hark("session", "start", "--user", "ada")
        _ = try home.hark("record", "visit")
        let run = try home.shell(
            """
            id=$(hark call survey.pending | grep -o '"presentationId":"[^"]*"' | cut -d'"' -f4)
            hark call survey.present "{\\"presentationId\\":\\"$id\\"}" &&
            hark call survey.dismiss "{\\"presentationId\\":\\"$id\\",\\"for\\":\\"ever\\"}" && date -u +%FT%T.%3NZ
            """)
        #expect(run.ending == .exited(0), "\(run)")
        _ = try home.hark("record", "visit")
        let told = try simulate("--json --since \(try #require(run.lines.last))")
        let report = try JSONReader.read(told.output)
        let survey = report["simulations"]?[0]?["surveys"]?[0]
        #expect(survey?["shown"] == 0 && survey?["stopped"]?["muted"] == 1, "\(told)")
    }

    @Test("a fault of the file, no file, an empty log and no daemon are told with what to do, and nothing is left")
    func refused() throws {
        try home.files.write(#"{"surveys":[{"id":"x","title":"T","message":"?"}]}"#, to: "bad.json")
        let bad = try simulate("bad.json")
        let checked = try home.shell("cd '\(home.files.path("."))' && hark config validate bad.json")
        #expect(bad.ending == .exited(78) && bad.errors == checked.errors, "\(bad) \(checked)")
        #expect(try simulate("nowhere.json").ending == .exited(66))
        #expect(try simulate("").output.hasSuffix("The log has no events.\n"))
        try daemon.stop()
        try home.files.write(Self.surveys("visit", cooldown: 0), to: "good.json")
        let alone = try simulate("good.json")
        #expect(alone.ending == .exited(69) && !alone.errors.isEmpty, "\(alone)")
        #expect(try isClean())
    }

    @Test("Ctrl-C, or the end of hark whatever its reason, leaves nothing", arguments: ["INT", "KILL"])
    func interrupted(signal: String) throws {
        for _ in 0..<20 { _ = try home.shell("yes '{\"name\":\"visit\"}' | head -n 500 | hark record --stdin") }
        let run = try home.shell(
            """
            cd '\(home.files.path("."))'; export TMPDIR='\(home.files.path("temporary"))'
            hark simulate & pid=$!
            while [ -z "$(ls "$TMPDIR")" ] && kill -0 $pid; do :; done
            kill -\(signal) $pid; wait $pid
            for i in $(seq 600); do [ -z "$(ls "$TMPDIR")" ] && break; sleep 0.1; done
            """)
        #expect(try isClean(), "\(run)")
    }
}
