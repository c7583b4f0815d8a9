import HarkClient
import HarkWire

/// The reply of `survey.explain` for people.
///
/// On a terminal what fails comes first, the rest is dim, checks have names in words and times are local. A pipe gets
/// the checks in the daemon's order and by its names.
struct ExplanationText {
    private let explanation: SurveyExplained
    private let style: TextStyle
    private let columns: Int?

    private struct Check {
        var name: String
        var passed: Bool
        var words: String
    }

    /// - Parameter columns: The width of the terminal; nil in a pipe.
    init(_ explanation: SurveyExplained, _ style: TextStyle, columns: Int? = nil) {
        self.explanation = explanation
        self.style = style
        self.columns = columns
    }

    var text: String {
        let checks = explanation.checks.map(check)
        let ordered = columns == nil ? checks : checks.filter { !$0.passed } + checks.filter(\.passed)
        let width = checks.map { TextWidth.of($0.name) }.max() ?? 0
        return (head + ordered.flatMap { lines($0, width) }).joined(separator: "\n")
    }

    private var head: [String] {
        let survey = VisibleText.make(explanation.surveyId)
        let user = explanation.userId.map { " to \(VisibleText.value($0))" } ?? ""
        var lines: [String] = []
        if let reason = explanation.notShown {
            lines = [style.bold("\(survey) waits already and is not shown\(user): \(words(reason))")]
        } else {
            let event = explanation.event.map { ", if event \($0.seq) came again" } ?? ""
            lines = [
                style.bold("\(survey) \(explanation.wouldShow ? "would" : "would not") be shown\(user) now\(event)")
            ]
            if let problem = explanation.notifyProblem {
                lines.append(style.warning("nobody would see it: \(words(problem))"))
            }
        }
        if explanation.gatingBypassed {
            lines.append(style.warning("debug mode: limits are bypassed"))
        }
        return lines.flatMap { WordWrap.hanging("", $0, indent: 2, columns: columns) }
    }

    private func check(_ check: SurveyCheck) -> Check {
        let name = VisibleText.make(check.check)
        return Check(
            name: columns == nil ? name : Self.title(name), passed: check.passed, words: words(check.explanation))
    }

    private func lines(_ check: Check, _ width: Int) -> [String] {
        let name = TextWidth.padded(check.name, width) + "  "
        guard let columns else {
            return ["\(check.passed ? style.good("✓") : style.bad("✗")) \(name)\(check.words)"]
        }
        if columns - width - 4 < 24 {
            // There is no room next to the names, so the words of all checks are below.
            let head = check.passed ? style.good("✓ ") + check.name : style.bad("✗ ") + style.bold(check.name)
            return [head]
                + WordWrap.hanging("  ", check.passed ? style.dim(check.words) : check.words, columns: columns)
        }
        if !check.passed { return WordWrap.hanging(style.bad("✗ ") + style.bold(name), check.words, columns: columns) }
        return WordWrap.hanging(style.good("✓ ") + style.dim(name), style.dim(check.words), columns: columns)
    }

    /// Returns the daemon's words; on a terminal with its times as local ones.
    private func words(_ text: String) -> String {
        guard columns != nil else { return VisibleText.make(text) }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map { part in
            let time = part.prefix { !";,".contains($0) }
            guard time.hasSuffix("Z"), let moment = Timestamp(String(time)) else { return String(part) }
            return LocalTime.secondText(moment) + part.dropFirst(time.count)
        }
        return VisibleText.make(parts.joined(separator: " "))
    }

    /// The name of a check in words; of one that is not known here, `newCheck` as `new check`.
    static func title(_ name: String) -> String {
        if let title = titles[name] { return title }
        return name.reduce(into: "") { $0 += $1.isUppercase ? " " + $1.lowercased() : String($1) }
    }

    private static let titles = [
        "event": "this event", "where": "condition", "muted": "not muted", "ownInterval": "your own interval",
        "quietHours": "no quiet hours",
        "participant": "takes part",
        "started": "has started", "notEnded": "has not ended", "rollout": "part of all users",
        "completion": "not answered yet", "oncePerUser": "once per user", "oncePerSession": "once per session",
        "maxAttempts": "attempts left", "cooldown": "time between two", "globalCooldown": "time between surveys",
        "atMost": "cap of its own", "groups": "caps of its groups", "globalAtMost": "caps of the file",
        "audience": "in the audience", "quota": "answers still wanted", "cancelOn": "not cancelled",
        "session": "this user's session", "notPending": "none waits", "firstInLine": "first in line",
        "counters": "counters", "room": "room to wait", "oneAtATime": "one at a time",
    ]
}
