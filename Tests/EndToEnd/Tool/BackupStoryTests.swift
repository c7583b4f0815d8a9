import Foundation
import Testing

/// The story in docs/guides/slow-backup.md: why last night's backup was slow, in five commands over two weeks that were made up.
@Suite(.endToEnd) struct BackupStoryTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let page: DocumentedPage

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"retention":"none"}"#)
        daemon = try home.start()
        page = try DocumentedPage("docs/guides/slow-backup.md")
    }

    /// An event as `hark run` records it, of a program that began that many minutes after midnight of a day.
    private static func run(
        _ name: String, _ day: Int, minute: Int, seconds: Int, cpu: Double, memory: Int, _ more: String
    ) -> String {
        func time(_ second: Int) -> String {
            let second = minute * 60 + second
            return String(
                format: "2026-11-%02dT%02d:%02d:%02d.000Z", day + 1, second / 3_600, second / 60 % 60, second % 60)
        }
        return """
            {"name":"\(name)","timestamp":"\(time(seconds))","properties":{"ok":true,"exitCode":0,\
            "startedAt":"\(time(0))","seconds":\(seconds),"cpuSeconds":\(cpu),"peakMemoryBytes":\(memory),\(more)}}

            """
    }

    /// Two weeks from November 1st on. Each night three hosts are backed up, two of them to the disks called tank, which are
    /// scrubbed once a week: by day in the first week, and in the second at night.
    private static var events: String {
        var lines = ""
        for day in 0..<14 {
            for (place, (host, target)) in [("web", "tank"), ("mail", "tank"), ("db", "cloud")].enumerated() {
                var seconds = 540 + place * 130 + (day * 37 + place * 53) % 60
                if day == 13, target == "tank" { seconds = seconds * 8 + 211 }
                lines += run(
                    "backup", day, minute: 120 + place * 5, seconds: seconds,
                    cpu: 61 + Double((day * 7 + place * 3) % 9) / 2,
                    memory: 310_000_000 + (day * 11 + place) % 7 * 1_000_000,
                    #""host":"\#(host)","target":"\#(target)""#)
            }
        }
        lines += run("scrub", 6, minute: 600, seconds: 11_460, cpu: 290.5, memory: 9_000_000, #""pool":"tank""#)
        lines += run("scrub", 13, minute: 105, seconds: 13_020, cpu: 293.5, memory: 9_000_000, #""pool":"tank""#)
        return lines
    }

    @Test("what the page shows is what its commands print, and one can see in it why the backup was slow")
    func story() throws {
        #expect(try home.hark(["record", "--stdin"], input: Self.events).ending == .exited(0))
        let steps = page.blocks.filter { $0.language == "console" }.map(\.text)
        #expect(steps.count == 5)
        var outputs: [String] = []
        for step in steps {
            let command = String(try #require(step.split(separator: "\n").first).dropFirst(2))
            let run = try home.shell(command)
            #expect(run.ending == .exited(0) && run.errors == "", "\(command): \(run.errors)")
            #expect("$ \(command)\n\(run.output)" == step + "\n", "\(command)\n\(run.output)")
            outputs.append(run.output)
        }
        guard outputs.count == 5 else { return }
        // The last night is the only slow one, of one target alone, which worked no more than ever …
        #expect(outputs[1].contains("tank") && outputs[1].contains("cloud"))
        // … while something else had the disks, as no other night.
        #expect(outputs[3].contains("scrub"))
        #expect(outputs[4].split(separator: "\n").count == 3, "nights with a scrub beside them, and others")
    }
}
