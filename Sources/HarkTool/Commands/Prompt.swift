import HarkClient

extension Command {
    static let prompt: Command = Command(
        name: "prompt",
        summary: "Ask the people present a question, and print the answer.",
        usage: [
            "QUESTION OPTION …", "QUESTION --text", "QUESTION --rating", "QUESTION --number", "QUESTION --scale ENDS",
            "QUESTION --yes-no", "--id ID",
        ],
        about: """
            For scripts: asks for a choice of options, a text, a rating, a number, or yes or no, waits, and prints only the \
            answer on standard output. In a script that runs in a terminal, the question appears there and, at the same time, \
            wherever surveys are shown: as a notification of the desktop, in a window, in 'hark ask', in an app. The first \
            answer counts, and the question disappears everywhere else.

            The daemon keeps the question, also when the daemon restarts, and the time for an answer runs on. When hark ends \
            early, for example with Ctrl-C, the question is cancelled, unless it was asked with --no-wait.

            If nothing can show the question (no terminal, no presenter, no notification) and no --timeout is given, hark ends \
            at once.

            The exit code is 0 with an answer, also with that of --default; 1 if the question was dismissed, 67 if there is \
            nobody to ask, 124 if nobody answered in time, 66 if the question was cancelled elsewhere, and 75 if, with --id and \
            --no-wait, it still waits.
            """,
        options: [
            PromptOptions.message, PromptOptions.multiple, PromptOptions.other, PromptOptions.shuffle,
            PromptOptions.text, PromptOptions.pattern, PromptOptions.patternMessage, PromptOptions.rating,
            PromptOptions.number, PromptOptions.scale, PromptOptions.ranking, PromptOptions.date, PromptOptions.time,
            PromptOptions.yesNo,
            PromptOptions.min, PromptOptions.max,
            PromptOptions.step, PromptOptions.integer, PromptOptions.unit, PromptOptions.label,
            PromptOptions.timeout, PromptOptions.fallback, PromptOptions.name, PromptOptions.user, .app,
            PromptOptions.noWait, PromptOptions.id, .json,
        ],
        examples: [
            .init(
                "answer=$(hark prompt 'Deploy now?' Yes No --timeout 10m --default No)",
                "No, unless somebody answers Yes."),
            .init(
                "hark prompt 'Restart the database?' Yes No --user anna --user bert", "Ask two people of this machine."),
            .init("hark prompt 'What shall the release say?' --text", "Ask for a text."),
            .init("hark prompt 'How many guests?' --number --min 1 --integer", "Ask for a number."),
            .init("hark prompt 'How loud?' --scale 0..100 --label 0=silent --label 100=loud", "Show a slider."),
            .init("id=$(hark prompt 'How was the demo?' --rating --no-wait)", "Ask, and go on."),
            .init("hark prompt --id $id", "Fetch the answer later."),
        ],
        operands: 0...Int.max,
        run: { arguments, console in try PromptRun(arguments, console).run() })
}
