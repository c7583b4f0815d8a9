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
                try console.print(ExplanationText(result, console.style, columns: console.columns).text)
            }
            if result.member("wouldShow")?.bool != true { throw QuietExit(exit: .declined) }
        })
}
