import HarkClient
import HarkWire

extension Command {
    static let debug: Command = Command(
        name: "debug",
        summary: "Try surveys out without waiting: show or set the debug mode.",
        usage: ["[production | debug]"],
        about: """
            'hark debug debug' lets every survey be shown at every event, 10 seconds after it where it has a delay; \
            'hark debug production' is normal life. The options set one part each. Without any, it shows what is in force. \
            It holds until the daemon ends or reads its configuration again.
            """,
        options: [bypass, delay, attemptCooldown, .json],
        examples: [
            .init("hark debug debug", "Everything at once."),
            .init("hark debug --delay 5s", "Only the delays."),
        ],
        operands: 0...1,
        completes: .words(DebugPreset.allCases.map(\.rawValue)),
        run: { arguments, console in
            let params = try JSONWriter.object { params in
                if let preset = arguments.operands.first {
                    guard DebugPreset(rawValue: preset) != nil else {
                        throw ToolError.usage("'\(preset)' is no mode", hint: "It is production or debug.")
                    }
                    params.member(.debugPreset, preset)
                }
                if arguments.has(bypass) { params.member(.bypassesGating, true) }
                try append(.debugDelay, delay, arguments, to: &params)
                try append(.debugAttemptCooldown, attemptCooldown, arguments, to: &params)
            }
            var connection = try Connection()
            let reply = try connection.call(.debugSet, params, as: DebugResult.self)
            Warnings.say(reply.text, console)
            if arguments.has(.json) {
                try console.print(json: reply.text)
            } else {
                try console.print(describe(reply.value.debug))
            }
        })

    private static let bypass = Option(
        "bypass-gating", "Show surveys however often they were shown or answered, and count nothing.")
    private static let delay = Option(
        "delay", value: "TIME", "The delay after an event, for surveys that have one; 'off' for their own.")
    private static let attemptCooldown = Option(
        "attempt-cooldown", value: "TIME", "The cooldown after an attempt; 'off' for each survey's own.")

    private static func append(
        _ parameter: Parameter<Int64?>, _ option: Option, _ arguments: Arguments, to params: inout JSONWriter
    ) throws(ToolError) {
        guard let text = arguments[option] else { return }
        if text == "off" {
            params.member(parameter, value: .null)
        } else {
            params.member(parameter, try DurationArgument.parse(text, name: "--\(option.name)"))
        }
    }

    private static func describe(_ debug: DebugInfo) -> String {
        let (delay, cooldown) = (debug.scheduleDelaySeconds, debug.attemptCooldownSeconds)
        return [
            ("gating", debug.bypassGating ? "bypassed" : "in force"),
            ("delays", delay.map { "\(DurationText.make($0)) instead of their own" } ?? "their own"),
            ("attempt cooldowns", cooldown.map { "\(DurationText.make($0)) instead of their own" } ?? "their own"),
        ].map { TextWidth.padded($0, 19) + $1 }.joined(separator: "\n")
    }
}
