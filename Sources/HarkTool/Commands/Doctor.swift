import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let doctor: Command = Command(
        name: "doctor",
        summary: "Find out what keeps Hark from working, and how to fix it.",
        about: """
            Checks programs and libraries, the daemon and its unit, folders and their rights, the configuration and its keys, \
            the store, its disk and its clock, destinations, the desktop and this terminal, and the configuration of agents' \
            programs. Each fault comes with the command that fixes it, if there is one. The checks change nothing and take only \
            a few seconds, and no daemon has to run.

            The exit code is 0 if nothing is wrong, else 1; with warnings only, it is 0.
            """,
        options: [quiet, Option("json", "j", "Print the checks as one line of JSON; their ids stay as they are.")],
        examples: [
            .init("hark doctor", "Why does nothing arrive?"),
            .init("hark doctor --quiet || mail -s 'hark' root", "From cron: silent while all is well."),
            .init("sudo hark doctor", "About the machine's daemon."),
        ],
        run: { arguments, console in
            let findings = Examination(.this(console)).findings
            if try !console.printed(json: JSONText(findings.json), arguments) {
                let columns = console.columns
                let text = FindingText(style: console.style, glyphs: console.glyphs, columns: columns)
                    .text(findings, onlyWrong: arguments.has(quiet))
                if !text.isEmpty { try console.print(text) }
            }
            if findings.hasFault { throw QuietExit(exit: .declined) }
        })

    private static let quiet = Option("quiet", "q", "Print only warnings and faults.")
}
