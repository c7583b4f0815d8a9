import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let profile: Command = Command(
        name: "profile",
        summary: "Show a user's profile, which follows from the answers to a form.",
        about: """
            The profile is made from the answers to one form, by the rules in forms.json. It stays on this machine unless a \
            destination in harkd.json asks for it. Without --user, it is the profile of the user of the app's open session.
            """,
        members: [
            .init("summary") { profileSummary },
            .init("get") { profileGet },
            .init("export") { profileExport },
            .init("import") { profileImport },
            .init("reset") { profileReset },
        ],
        fallback: "summary")

    private static let profileSummary: Command = Command(
        name: "summary",
        summary: "Print the profile in a few lines.",
        about: "The exit code is 66 if the form was not completed yet.",
        options: [.formUser, .formAnonymous, .formApp, .json],
        run: { arguments, console in
            var connection = try Connection()
            let reply = try FormCall.call(ProfileSummaryRequest(), arguments, &connection)
            guard let result = try console.value(of: reply, arguments) else { return }
            guard let summary = result.summary else {
                throw try notCompleted(arguments, &connection)
            }
            for line in summary.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                try console.print(VisibleText.make(String(line)))
            }
        })

    private static func notCompleted(_ arguments: Arguments, _ connection: inout Connection) throws -> ToolError {
        let profile = try FormCall.call(ProfileGet(), arguments, &connection).value.profile
        let told = profile.map { ProfileInfo($0.json) }
        if told?.completed == true {
            return ToolError(
                .noInput, "the rules in forms.json have no summary", hint: "'hark profile get' shows the values.")
        }
        let form = told.map { VisibleText.make($0.formId) } ?? ""
        return ToolError(.noInput, "there is no profile yet", hint: "Answer the questions first: hark form \(form)")
    }

    private static let profileGet: Command = Command(
        name: "get",
        summary: "Print one value of the profile, or all of them.",
        usage: ["[KEY]"],
        about: """
            Prints the value of that key; a list has an element on each line. If no rule fits the answers, it prints nothing and \
            the exit code is 1. 'completed', 'completedAt' and 'answers' are keys, too. Without a key it prints all values by \
            name.
            """,
        options: [.formUser, .formAnonymous, .formApp, .json],
        examples: [
            .init("hark profile get dailyTip", "Today's tip."),
            .init("hark profile get answers --json", "The answers."),
        ],
        operands: 0...1,
        calls: ProfileGet.name,
        run: { arguments, console in
            var connection = try Connection()
            var request = ProfileGet()
            request.key = arguments.operands.first
            let reply = try FormCall.call(request, arguments, &connection)
            let result = reply.value
            if request.key == nil, let profile = result.profile?.json {
                if arguments.has(.json) { return try console.print(json: profile) }
                return try console.print(table(ProfileInfo(profile)))
            }
            let value = result.value?.json ?? reply.text
            if arguments.has(.json) { return try console.print(json: value) }
            guard !value.isNull else { throw QuietExit(exit: .declined) }
            if value.isObject { return try console.print(json: PrettyJSON.text(value)) }
            for element in value.isArray ? value.elements : [value] { try console.print(value: element) }
        })

    private static func table(_ profile: ProfileInfo) -> String {
        var rows = [("completed", profile.completed ? "yes" : "no")]
        profile.values.json.forEachMember { key, value in
            let words = (value.isArray ? value.elements : [value]).map { $0.isNull ? "-" : ScalarText.shown($0) }
            rows.append((VisibleText.make(String(decoding: key, as: UTF8.self)), words.joined(separator: ", ")))
            return true
        }
        let width = rows.map { TextWidth.of($0.0) }.max() ?? 0
        return rows.map { TextWidth.padded($0, width + 2) + $1 }.joined(separator: "\n")
    }

    private static let profileExport: Command = Command(
        name: "export",
        summary: "Print the profile, to import it again here or elsewhere.",
        about: "Prints one line of JSON, which stays the same as long as nothing changes.",
        options: [.formUser, .formAnonymous, .formApp],
        examples: [.init("hark profile export > profile.json", "Keep it in a file.")],
        run: { arguments, console in
            var connection = try Connection()
            let reply = try FormCall.call(ProfileExport(), arguments, &connection)
            try console.print(json: reply.value.profile.json)
        })

    private static let profileImport: Command = Command(
        name: "import",
        summary: "Import an exported profile, which replaces the present one.",
        usage: ["FILE"],
        about: "The file is what 'hark profile export' printed; - is standard input.",
        options: [.formUser, .formAnonymous, .formApp, .json],
        operands: 1...1,
        completes: .files,
        run: { arguments, console in
            let file = arguments.operands[0]
            let text = String(validating: try InputFile.read(file), as: UTF8.self).map { JSONText($0) }
            guard let text, text.isOneObject else {
                throw ToolError(.data, "\(file) has no exported profile; 'hark profile export' makes one")
            }
            var connection = try Connection()
            var request = ProfileImport()
            request.profile = AnyJSON(text: text.line)
            let reply = try FormCall.call(request, arguments, &connection)
            if arguments.has(.json) { return try console.print(json: reply.text) }
            if console.outputIsTerminal { try console.print("taken in") }
        })

    private static let profileReset: Command = Command(
        name: "reset",
        summary: "Forget the answers that the profile is made of.",
        about: "hark asks first. If there is no terminal, --yes is needed.",
        options: [.formUser, .formAnonymous, .formApp, yes, .json],
        run: { arguments, console in
            guard try FormCall.isConfirmed(arguments, yes, "Forget the answers?", console) else {
                throw QuietExit(exit: .declined)
            }
            var connection = try Connection()
            let reply = try FormCall.call(ProfileReset(), arguments, &connection)
            guard let result = try console.value(of: reply, arguments) else { return }
            try console.print("forgot \(Plural.count(result.removed, "answer"))")
        })

    private static let yes = Option("yes", "y", "Do not ask.")
}
