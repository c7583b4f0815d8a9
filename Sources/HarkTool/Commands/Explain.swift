import HarkClient
import HarkWire

extension Command {
    static let explain: Command = Command(
        name: "explain",
        summary: "Explain whether a survey would be shown now.",
        usage: ["SURVEY"],
        about: """
            Shows every check that decides whether an event would trigger the survey now, with the numbers: ✓ passed, ✗ failed. \
            With --event, a recorded event is checked as well: its name, and each condition with the value in the event. Limits \
            count as they are now. The exit code is 0 if the survey would be shown and 1 if not.
            """,
        options: [.app, .surveyUser, pastEvent, .json],
        examples: [
            .init("hark explain checkout-rating --user ada", "Why is ada not asked?"),
            .init("hark explain checkout-rating --event last", "Why did the last checkout trigger no survey?"),
        ],
        operands: 1...1,
        completes: .names(.survey),
        run: { arguments, console in
            let event = try arguments[pastEvent].map(sequence)
            var connection = try Connection()
            var request = SurveyExplain()
            (request.surveyId, request.app) = (arguments.operands[0], arguments[.app])
            if let user = arguments[.surveyUser] { request.user = .named(user) }
            if let event { (request.seq, request.last) = (event, event == nil ? true : nil) }
            let reply = try connection.call(request)
            let result = reply.value
            if try !console.printed(json: reply.text, arguments) {
                try console.print(ExplanationText(result, console.style, columns: console.columns).text)
            }
            if !result.wouldShow { throw QuietExit(exit: .declined) }
        })

    private static let pastEvent = Option(
        "event", "e", value: "SEQ", "Check the event of this number ('hark events' shows it), or 'last'.")

    /// - Returns: nil for the last event.
    private static func sequence(_ text: String) throws(ToolError) -> Int64? {
        if text == "last" { return nil }
        guard let sequence = Int64(text), sequence > 0 else {
            throw .usage(
                "'--event' must be the number of an event, or 'last', not \(VisibleText.value(text))",
                hint: "'hark events' lists events with their numbers.")
        }
        return sequence
    }
}
