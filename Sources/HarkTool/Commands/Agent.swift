import HarkClient

extension Command {
    static let agent: Command = Command(
        name: "agent",
        summary: "Present surveys as notifications of this desktop.",
        about: """
            Runs until it is ended, and shows each survey as a notification. It has a button for each option if they fit, or \
            else one that opens a window (without hark-dialog, a terminal with 'hark ask'). A notification that nobody touches \
            goes away after a while, and the survey waits for 'hark ask'. The notification of a survey that ends elsewhere is \
            removed. While the desktop is set to do not disturb, or its session is locked or idle, nothing is shown, and surveys \
            wait. If the daemon goes away, the agent waits for it.

            The agent is for the system's daemon, which is in no desktop session. To run it in each of your sessions:

              systemctl --user enable --now hark-agent

            The daemon of a user shows notifications by itself. With HARK_NO_SURVEYS=1 in the environment the agent ends at once, \
            with HARK_NOTIFY_SEND=1 notify-send shows the notifications.
            """,
        options: [.surveyApp, timeout],
        run: { arguments, console in
            let seconds = try arguments[timeout].map { text throws(ToolError) in
                try DurationArgument.parse(text, name: "--timeout")
            }
            if let seconds, !(5...604_800).contains(seconds) {
                throw ToolError.usage("'--timeout' must be from 5s to 1w")
            }
            if wantsNoSurveys { return console.say("hark: HARK_NO_SURVEYS is set; no survey is shown") }
            let agent = try SurveyAgent(app: arguments[.surveyApp], patience: seconds ?? 600, console)
            try agent.run()
        })

    private static let timeout = Option(
        "timeout", "t", value: "TIME", "How long a notification stays, such as 90s or 10m (the default).")
}
