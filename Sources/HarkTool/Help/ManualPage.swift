import HarkWire

/// The manual page hark(1), in mdoc(7).
enum ManualPage {
    static var text: String {
        """
        .\\" Made by 'hark manual'.
        .Dd November 21, 2026
        .Dt HARK 1
        .Os Hark \(Version.current)
        .Sh NAME
        .Nm hark
        .Nd record and read events of this machine
        .Sh SYNOPSIS
        .Nm
        .Ar command
        .Op Ar option ...
        .Op Ar argument ...
        .Sh DESCRIPTION
        .Nm
        talks to
        .Xr harkd 8 ,
        the event daemon.
        What is recorded is on disk before
        .Nm
        returns.
        .Pp
        Every command takes
        .Fl -help .
        Options may stand before and after other arguments, and
        .Sq --
        ends them.
        A long option may be shortened as long as it stays unique.
        Without a command,
        .Nm
        lists the commands if it runs on a terminal.
        .Sh NAMES
        \(paragraphs(CommandTable.hark.closing).joined(separator: "\n"))
        \(CommandTable.hark.groups.map(group).joined(separator: "\n"))
        \(closing)

        """
    }

    /// A section for the commands of a group.
    private static func group(_ group: Command.Group) -> String {
        let entries = group.commands.flatMap { $0.walk([$0.name]) }.filter { $0.command.commands.isEmpty }
        let title = group.title.prefix { $0 != ":" }.uppercased()
        return ([".Sh \(title)"] + entries.map { section($0.path, $0.command) }).joined(separator: "\n")
    }

    private static func section(_ path: [String], _ command: Command) -> String {
        var lines = [".Ss hark \(path.joined(separator: " "))", ".Bd -literal -compact"]
        lines += HelpPage(path: ["hark"] + path, command: command).forms.map(escaped)
        lines += [".Ed", ".Pp"]
        lines += paragraphs(command.about.isEmpty ? command.summary : command.about)
        if !command.options.isEmpty {
            lines += [".Bl -tag -width Ds"]
            for option in command.options {
                let letter = option.letter.map { "Fl \($0) , " } ?? ""
                lines.append(".It \(letter)Fl -\(option.name)" + (option.value.map { " Ar \($0)" } ?? ""))
                lines += sentences(option.summary)
            }
            lines.append(".El")
        }
        for example in command.examples {
            lines += [".Pp"] + sentences(example.purpose) + [".Dl \(argument(example.line))"]
        }
        return lines.joined(separator: "\n")
    }

    private static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        for (index, paragraph) in text.split(separator: "\n\n").enumerated() {
            if paragraph.hasPrefix("  ") {
                lines.append(".Bd -literal -offset indent")
                lines += paragraph.split(separator: "\n").map { escaped($0.drop { $0 == " " }) }
                lines.append(".Ed")
            } else {
                if index > 0 { lines.append(".Pp") }
                lines += sentences(paragraph.split(separator: "\n").joined(separator: " "))
            }
        }
        return lines
    }

    /// Puts each sentence on a line of its own, as mdoc wants, with at most 80 bytes per line.
    private static func sentences(_ text: some StringProtocol) -> [String] {
        String(text).split(separator: ". ").flatMap { part in
            let isWhole = part.hasSuffix(".") || part.hasSuffix("?") || part.hasSuffix(":")
            let sentence = WordWrap.lines(isWhole ? String(part) : part + ".", width: 70)
            return sentence.map(escaped)
        }
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        var result = text.reduce(into: "") { result, letter in
            switch letter {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "…": result += "..."
            default: result.append(letter)
            }
        }
        if result.hasPrefix(".") || result.hasPrefix("'") { result = "\\&" + result }
        return result
    }

    /// Escapes the arguments of a macro, where a word such as No would be a macro of its own.
    private static func argument(_ text: String) -> String {
        escaped(text).split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isLikeMacro =
                (2...3).contains(word.count) && word.first?.isUppercase == true && word.allSatisfy(\.isLetter)
            return isLikeMacro ? "\\&" + word : String(word)
        }.joined(separator: " ")
    }

    private static let closing = """
        .Sh TERMINALS
        What others recorded is shown on a terminal with its control characters, and those that turn the direction of text
        around, as escapes that can be seen (in JSON as
        .Ql \\eu001b ,
        which means the same); nothing of it is obeyed.
        In a pipe or a file it is as it was recorded.
        .Sh ENVIRONMENT
        .Bl -tag -width Ds
        .It Ev HARK_SOCKET
        The daemon's socket.
        Without it,
        .Nm
        tries
        .Pa $XDG_RUNTIME_DIR/hark/hark.sock ,
        the socket of the user's own daemon, and then
        .Pa /run/hark/hark.sock ,
        that of the system's.
        .It Ev HARK_ASCII
        With 1, signs are those of ASCII alone, and options have no emoji; with 0, they are not.
        Without it, that depends on the terminal
        .Pf ( Ev TERM )
        and on the locale
        .Pf ( Ev LC_ALL , LC_CTYPE , LANG ) ,
        which must be UTF-8 for more.
        .It Ev NO_COLOR
        If it is set, nothing is coloured.
        .It Ev TZ
        The zone of the times that are shown and of those that are given without one.
        .El
        .Sh EXIT STATUS
        .Nm
        uses the codes of
        .Xr sysexits 3 .
        .Bl -tag -width Ds -compact
        .It 0
        It is done.
        .It 1
        The question was answered with no.
        .It 64
        The command line is wrong.
        .It 65
        The data is wrong; with
        .Fl -stdin ,
        some lines were refused.
        .It 66
        A file, session or user is not there.
        .It 67
        There is nobody to ask.
        .It 69
        No daemon answers, or it went away.
        .It 70
        Something went wrong that should not.
        .It 73
        A file cannot be made.
        .It 74
        Reading or writing failed.
        .It 75
        It may work later: the daemon cannot store now, or a limit is reached.
        .It 77
        It is not allowed.
        .It 78
        The configuration is wrong.
        .It 124
        Nobody has answered in time.
        .El
        .Sh FILES
        .Bl -tag -width Ds -compact
        .It Pa /usr/share/doc/hark/
        The documentation, with what is called
        .Pa docs/
        here; after
        .Ql make install
        it lies in
        .Pa /usr/local/share/doc/hark/ .
        .El
        .Sh SEE ALSO
        .Xr hark-protocol 7 ,
        .Xr harkd.json 5 ,
        .Xr harkd 8
        """
}
