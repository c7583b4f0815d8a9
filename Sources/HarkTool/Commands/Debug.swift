import HarkClient
import HarkWire

extension Command {
    static let debug: Command = .calling(
        DebugSet.self, "debug", "Try surveys out without waiting: show or set the debug mode.",
        about: """
            'hark debug debug' shows every survey at every event, 10 seconds later if it has a delay; 'hark debug production' is \
            the normal mode. Each option sets one part. Without options, hark debug shows the mode in force. The mode lasts \
            until the daemon ends or reads its configuration again.
            """,
        completes: .words(DebugPreset.allCases.map(\.rawValue)),
        examples: [
            .init("hark debug debug", "Everything at once."),
            .init("hark debug --delay 5s", "Only the delays."),
        ],
        output: [.json], warns: true,
        bind: { command, request in
            command.operand("[production | debug]", isOptional: true, or: "debug") { text throws(ToolError) in
                request.preset = DebugPreset(rawValue: text)
                guard request.preset != nil else {
                    throw .usage("'\(text)' is no mode", hint: "It is production or debug.")
                }
            }
            command.flag(
                Option(
                    "bypass-gating", "Ignore earlier showings and answers, and count nothing."),
                &request.bypassesGating)
            command.spanOrOff(
                Option(
                    "delay", value: "TIME",
                    "The delay after an event, for surveys that have one; 'off' for their own."), &request.delay)
            command.spanOrOff(
                Option(
                    "attempt-cooldown", value: "TIME", "The cooldown after an attempt; 'off' for each survey's own."),
                &request.attemptCooldown)
        },
        print: { result, _, console in try console.print(describe(result.debug)) })

    private static func describe(_ debug: DebugInfo) -> String {
        let (delay, cooldown) = (debug.scheduleDelaySeconds, debug.attemptCooldownSeconds)
        return [
            ("gating", debug.bypassGating ? "bypassed" : "in force"),
            ("delays", delay.map { "\(DurationText.make($0)) instead of their own" } ?? "their own"),
            ("attempt cooldowns", cooldown.map { "\(DurationText.make($0)) instead of their own" } ?? "their own"),
        ].map { TextWidth.padded($0, 19) + $1 }.joined(separator: "\n")
    }
}
