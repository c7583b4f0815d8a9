import HarkAsking
import HarkWire

/// Formats findings for people: a line for each, with its command below.
struct FindingText {
    let style: TextStyle
    let glyphs: Glyphs
    /// The width for wrapping; nil for no wrapping, when the output is not a terminal.
    let columns: Int?

    /// - Parameter onlyWrong: Leaves out findings that are ok.
    func text(_ findings: [Finding], onlyWrong: Bool) -> String {
        let shown = findings.filter { !onlyWrong || $0.state != .ok }
        let lines = shown.flatMap(lines)
        return (lines + (onlyWrong ? [] : ["", summary(findings)])).joined(separator: "\n")
    }

    private func summary(_ findings: [Finding]) -> String {
        let faults = findings.count { $0.state == .fault }
        let warnings = findings.count { $0.state == .warning }
        guard faults + warnings > 0 else { return style.good("All is well.") }
        let parts = [(faults, "fault"), (warnings, "warning")].filter { $0.0 > 0 }
        return parts.map { Plural.count(Int64($0.0), $0.1) }.joined(separator: ", ")
    }

    private func lines(_ finding: Finding) -> [String] {
        let mark = mark(finding.state)
        let indent = String(repeating: " ", count: TextWidth.of(mark.plain) + 1)
        let text = "\(finding.id): \(VisibleText.make(finding.message))"
        var lines = WordWrap.hanging(mark.shown + " ", text, columns: columns)
        switch finding.advice {
        // Not wrapped, so that it can be copied.
        case .mend(let line)?: lines.append(indent + style.bold("$ " + VisibleText.make(line)))
        case .look(let line)?: lines.append(indent + "look: " + style.bold(VisibleText.make(line)))
        case nil: break
        }
        return lines
    }

    private func mark(_ state: Finding.State) -> (plain: String, shown: String) {
        let plain =
            switch state {
            case .ok: glyphs.isASCII ? "ok  " : "✓"
            case .warning: glyphs.isASCII ? "warn" : "!"
            case .fault: glyphs.isASCII ? "FAIL" : "✗"
            }
        let shown =
            switch state {
            case .ok: style.good(plain)
            case .warning: style.warning(plain)
            case .fault: style.bad(plain)
            }
        return (plain, shown)
    }
}
