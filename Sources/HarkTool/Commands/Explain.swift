import HarkClient
import HarkWire

extension Command {
    static let explain: Command = Command(
        name: "explain",
        summary: "Tell whether a survey would be shown now, and why.",
        usage: ["SURVEY"],
        about: """
            Goes through every check that decides whether an event would bring the survey about now, with the numbers: ✓ \
            passed, ✗ failed. The exit code is 0 if it would be shown and 1 if not.
            """,
        options: [.app, .surveyUser, .json],
        examples: [.init("hark explain checkout-rating --user ada", "Why is ada not asked?")],
        operands: 1...1,
        completes: .names(.survey),
        run: { arguments, console in
            var connection = try Connection()
            let result = try connection.call(.surveyExplain) { params in
                params.member(.survey, arguments.operands[0])
                params.member(.app, arguments[.app])
                params.member(.userToAsk, arguments[.surveyUser])
            }
            if arguments.has(.json) {
                try console.print(json: result)
            } else {
                try console.print(explanation(result, console.style))
            }
            if result.member("wouldShow")?.bool != true { throw QuietExit(exit: .declined) }
        })

    static func explanation(_ explanation: JSONText, _ style: TextStyle) -> String {
        let survey = VisibleText.make(explanation.member("surveyId")?.string ?? "")
        let user = explanation.member("userId")?.string.map { " to \(VisibleText.value($0))" } ?? ""
        let wouldShow = explanation.member("wouldShow")?.bool == true
        var lines: [String] = []
        if let reason = explanation.member("notShown")?.string {
            lines = [style.bold("\(survey) waits already and is not shown\(user): \(VisibleText.make(reason))")]
        } else {
            lines = [style.bold("\(survey) \(wouldShow ? "would" : "would not") be shown\(user) now")]
            if let problem = explanation.member("notifyProblem")?.string {
                lines.append(style.warning("nobody would be told of it: \(VisibleText.make(problem))"))
            }
        }
        if explanation.member("gatingBypassed")?.bool == true {
            lines.append(style.warning("debug mode: what limits how often is bypassed"))
        }
        let checks = explanation.member("checks")?.elements ?? []
        let names = checks.map { VisibleText.make($0.member("check")?.string ?? "") }
        let width = names.map { TextWidth.of($0) }.max() ?? 0
        for (check, name) in zip(checks, names) {
            let sign = check.member("passed")?.bool == true ? style.good("✓") : style.bad("✗")
            let detail = VisibleText.make(check.member("explanation")?.string ?? "")
            lines.append("\(sign) \(TextWidth.padded(name, width))  \(detail)")
        }
        return lines.joined(separator: "\n")
    }
}
