import HarkClient
import HarkWire

extension Command {
    static let quietHours: Command = Command(
        name: "quiet",
        summary: "Set the hours at which surveys do not ask you.",
        usage: ["[HOURS [DAY…] …]", "off"],
        about: """
            HOURS are like 22:00-07:00, in local time. DAYs are mon, tue, wed, thu, fri, sat and sun, or mon-fri, and follow the \
            hours they belong to (without any: every day). Hours over midnight belong to the day on which they begin. Surveys \
            wait until the quiet hours end. New quiet hours replace the old ones.

            A survey may be an alarm ("alarm": true); --alarms on lets alarms ask at any hour. Questions of scripts ('hark \
            prompt') are asked at any hour.

            Without arguments it shows the hours.
            """,
        options: [alarms, .json],
        examples: [
            .init("hark quiet 22:00-07:00", "No survey at night."),
            .init("hark quiet 22:00-07:00 00:00-24:00 sat sun", "No survey at night and at weekends."),
            .init("hark quiet off", "At any hour."),
        ],
        operands: 0...100,
        run: { arguments, console in
            var connection = try Connection()
            let words = arguments.operands
            let hours: [JSONValue]? = try words.isEmpty ? nil : words == ["off"] ? [] : spans(words)
            let allows = try arguments[alarms].map { word throws(ToolError) in
                guard let flag = ["on": true, "off": false][word] else {
                    throw .usage("'--alarms' takes on or off, not '\(word)'")
                }
                return flag
            }
            var request = QuietSet()
            request.hours = hours.map { AnyJSON(.array($0)) }
            request.alarms = allows
            let isAsked = hours == nil && allows == nil
            let reply = try isAsked ? connection.call(QuietGet()) : connection.call(request)
            guard let result = try console.value(of: reply, arguments) else { return }
            try console.print(text(result))
        })

    private static let alarms = Option(
        "alarms", value: "on|off", values: .words(["on", "off"]), "Whether alarms may ask at any hour."
    )

    /// Reads quiet hours, each followed by its days.
    private static func spans(_ words: [String]) throws -> [JSONValue] {
        var spans: [(from: String, until: String, days: [JSONValue])] = []
        for word in words {
            if word.contains(":") {
                let ends = word.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
                guard ends.count == 2 else {
                    throw ToolError.usage("'\(word)' are no hours", hint: "Write them like 22:00-07:00.")
                }
                spans.append((ends[0], ends[1], []))
            } else {
                guard let last = spans.indices.last else {
                    throw ToolError.usage("hours are missing before '\(word)'", hint: "Like 22:00-07:00 \(word).")
                }
                spans[last].days += word.split(separator: ",").map { .string(String($0)) }
            }
        }
        return spans.map { span in
            var members: [(String, JSONValue)] = [("from", .string(span.from)), ("until", .string(span.until))]
            if !span.days.isEmpty { members.append(("days", .array(span.days))) }
            return .object(JSONObject(members))
        }
    }

    private static func text(_ told: QuietInfo) -> String {
        var lines = told.hours.map { span in
            let words = ["\(span.from)-\(span.until)"] + (span.days ?? ["every day"])
            return words.map { VisibleText.make($0) }.joined(separator: " ")
        }
        if lines.isEmpty { lines = ["no quiet hours"] }
        if told.alarms { lines.append("alarms may ask at any hour") }
        if let until = told.quietUntil { lines.append("quiet until \(LocalTime.secondText(until))") }
        return lines.joined(separator: "\n")
    }
}
