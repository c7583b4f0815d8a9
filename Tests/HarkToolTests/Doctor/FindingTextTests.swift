import Testing

@testable import HarkTool

/// Findings on a screen, in letters of ASCII, and for programs.
@Suite struct FindingTextTests {
    private static let findings: [Finding] = [
        .ok("programs", "hark and harkd"), .warning("clock", "it jumped"),
        .fault("daemon", "no daemon runs: there is no socket at /run/user/1000/hark/hark.sock", .mend("start it")),
        .fault("disk", "full", .look("df")),
    ]

    private func text(_ glyphs: Glyphs = .all, columns: Int? = nil, onlyWrong: Bool = false) -> String {
        FindingText(style: TextStyle(coloured: false), glyphs: glyphs, columns: columns)
            .text(Self.findings, onlyWrong: onlyWrong)
    }

    @Test("each has a mark, and below it what mends it or shows more; a line counts them")
    func signs() {
        #expect(
            text() == """
                ✓ programs: hark and harkd
                ! clock: it jumped
                ✗ daemon: no daemon runs: there is no socket at /run/user/1000/hark/hark.sock
                  $ start it
                ✗ disk: full
                  look: df

                2 faults, 1 warning
                """)
    }

    @Test("where there are no signs, marks are words; only what is wrong, and nothing where all is well")
    func words() {
        #expect(
            text(.ascii, onlyWrong: true) == """
                warn clock: it jumped
                FAIL daemon: no daemon runs: there is no socket at /run/user/1000/hark/hark.sock
                     $ start it
                FAIL disk: full
                     look: df
                """)
        let well = FindingText(style: TextStyle(coloured: false), glyphs: .all, columns: nil)
        #expect(well.text([.ok("a", "b")], onlyWrong: true) == "")
        #expect(well.text([.ok("a", "b")], onlyWrong: false) == "✓ a: b\n\nAll is well.")
    }

    @Test("on few columns lines are broken between words, and commands are not")
    func narrow() {
        let lines = text(columns: 40).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 40 })
        #expect(lines.contains("  $ start it"))
    }

    @Test("as JSON, each has its id, its state, and what goes with it")
    func json() {
        #expect(
            Self.findings.json
                == #"{"ok":false,"checks":[{"id":"programs","state":"ok","message":"hark and harkd"},"#
                + #"{"id":"clock","state":"warning","message":"it jumped"},"#
                + #"{"id":"daemon","state":"fault","message":"no daemon runs: there is no socket at /run/user/1000/hark/hark.sock","mend":"start it"},"#
                + #"{"id":"disk","state":"fault","message":"full","look":"df"}]}"#)
        #expect([Finding.warning("a", "b")].json.hasPrefix(#"{"ok":true"#))
    }

    @Test("what others wrote moves no cursor")
    func harmless() {
        let text = FindingText(style: TextStyle(coloured: false), glyphs: .all, columns: nil)
            .text([.fault("problem", "a\u{1B}[2Jb", .mend("c\u{7}"))], onlyWrong: true)
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
    }
}
