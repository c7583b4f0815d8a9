import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let forms: Command = Command(
        name: "forms",
        summary: "Show the forms, and how far a user is with each.",
        about: """
            Shows each form's id, title, progress and state, and the faults of forms.json. Without --user, it shows the user of \
            the app's open session.
            """,
        options: [.formUser, .formAnonymous, .formApp, .json],
        calls: FormList.name,
        run: { arguments, console in
            var connection = try Connection()
            var forms: [FormItemInfo] = []
            var isFirst = true
            var request = FormList()
            request.owner = try FormCall.owner(arguments)
            try connection.pages(request) { reply in
                guard let page = try console.value(of: reply, arguments) else { return true }
                if isFirst { sayProblems(page.problems ?? [], "hark: warning: ", console) }
                isFirst = false
                forms += page.forms
                return true
            }
            if arguments.has(.json) { return }
            if forms.isEmpty, console.outputIsTerminal { console.say("hark: no forms are configured") }
            guard !forms.isEmpty else { return }
            let rows = forms.map { form in
                let progress = ToldProgress(form.progress)
                return [
                    VisibleText.make(form.formId), progress.word(isCompleted: form.completed),
                    "\(progress.answered) of \(progress.total)", VisibleText.make(form.title),
                ]
            }
            try console.print(TextTable.text([["form", "state", "answered", "title"]] + rows, console.style))
        })

    static let form: Command = Command(
        name: "form",
        summary: "Fill in a form, on the terminal or in a window.",
        usage: ["FORM"],
        about: """
            Shows one question per page, with your progress, and keeps finished and unfinished answers: leave with Esc, come \
            back later, and continue where you were or change an answer. If answers go to a server, each is submitted on its own \
            and is then final; an answer that the server refused can be sent again. The last line shows the keys.

            Without a terminal, or with TERM=dumb, hark prints numbered answers and reads lines.

            With --window, hark-dialog shows the form in a window of the desktop. Without a display or without hark-dialog, the \
            terminal is used.

            With --answers, --progress, --retry or --reset, hark asks nothing. The exit code is 0 if the form is completed, 1 \
            if not, 66 if there is no such form or the input ended early, 75 if answers wait to be sent, and 76 if a server \
            did not take one.
            """,
        options: [.formUser, .formAnonymous, .formApp, .window, answers, progress, retry, reset, yes, .json],
        examples: [
            .init("hark form onboarding", "Fill it in, or change it."),
            .init("hark form onboarding --window", "The same in a window."),
            .init("hark form favourites --answers '{\"1\": \"Blue\"}'", "Answer from a script."),
        ],
        operands: 1...1,
        completes: .names(.form),
        isStrict: { arguments in [answers, retry, reset].contains { arguments.has($0) } },
        calls: FormAnswerRequest.name,
        run: { arguments, console in
            try arguments.atMostOne(of: answers, progress, retry, reset, .window)
            let formId = arguments.operands[0]
            if arguments.has(reset) { return try forget(formId, arguments, console) }
            if try isFilledInInWindow(formId, arguments, console) { return }
            let link = try FormLink(formId, of: FormCall.owner(arguments))
            if [answers, progress, retry].contains(where: { arguments.has($0) }) {
                return try tell(try call(link, arguments), arguments, console)
            }
            try fillIn(try start(link, formId), link, console)
        })

    /// - Returns: Whether the form was filled in in a window.
    private static func isFilledInInWindow(
        _ formId: String, _ arguments: Arguments, _ console: Console
    ) throws -> Bool {
        guard arguments.has(.window) else { return false }
        try arguments.atMostOne(of: .formUser, .formAnonymous)
        let words = [("--user", arguments[.formUser]), ("--app", arguments[.formApp])]
        let owner = words.flatMap { name, value in value.map { [name, $0] } ?? [] }
        let meant = try NameResolution(kind: .form).idIfKnown(of: formId, console)
        do {
            try DialogWindow.run(["--form", meant] + owner + (arguments.has(.formAnonymous) ? ["--anonymous"] : []))
            return true
        } catch let absence as DialogWindow.Absence {
            console.say("hark: \(absence.why); asking on the terminal")
            return false
        }
    }

    private static func start(_ link: FormLink, _ formId: String) throws -> FormReply {
        do throws(ClientError) {
            return try link.call(FormStart(), waits: true)
        } catch {
            guard error.reason == .networkError else { throw error }
            let form = VisibleText.make(formId)
            throw ToolError(
                error.exitCode, VisibleText.make(error.message),
                hint: "'hark form \(form)' tries again; 'hark forms' shows when something is wrong.")
        }
    }

    private static let answers = Option("answers", value: "JSON", "Give answers to questions, by their ids.")
    private static let progress = Option("progress", "Show the progress, and the state of sent answers.")
    private static let retry = Option(
        "retry", value: "QUESTION", "Submit the answer to that question again; 'all': all failed and waiting answers.")
    private static let reset = Option("reset", "Forget the answers.")
    private static let yes = Option("yes", "y", "Do not ask.")

    private static func call(_ link: FormLink, _ arguments: Arguments) throws -> FormReply {
        if let question = arguments[retry] {
            var request = FormRetry()
            (request.questionId, request.confirm) = (question == "all" ? nil : question, true)
            return try link.call(request, waits: true)
        }
        guard let answers = arguments[answers] else { return try link.call(FormProgressRequest()) }
        let object = JSONText(answers)
        guard object.isOneObject else {
            throw ToolError.usage("'--answers' takes one JSON object", hint: "Like '{\"question\": \"answer\"}'.")
        }
        _ = try link.call(FormStart(), waits: true)
        var request = FormAnswerRequest()
        (request.answers, request.confirm) = (AnyJSON(text: object.line), true)
        return try link.call(request, waits: true)
    }

    /// Prints the state of the form. The exit code reports its worst problem.
    private static func tell(_ reply: FormReply, _ arguments: Arguments, _ console: Console) throws {
        if arguments.has(.json) {
            try console.print(json: reply.text)
        } else {
            try console.print(VisibleText.make(reply.progress.text))
            for question in reply.route {
                guard let submission = reply.submissions[question] else { continue }
                let why = submission.failure.map { ": \(VisibleText.make($0))" } ?? ""
                try console.print("  \(VisibleText.make(question))  \(submission.state.word)\(why)")
            }
        }
        if arguments.has(progress) { return }
        let states = reply.submissions.values.map(\.state)
        if states.contains(where: { $0 == .failed || $0 == .unconfirmed }) { throw QuietExit(exit: .server) }
        if states.contains(where: { $0 == .queued || $0 == .sending }) { throw QuietExit(exit: .temporary) }
    }

    private static func forget(_ formId: String, _ arguments: Arguments, _ console: Console) throws {
        guard try FormCall.isConfirmed(arguments, yes, "Forget the answers?", console) else {
            throw QuietExit(exit: .declined)
        }
        var connection = try Connection()
        var request = FormReset()
        request.formId = formId
        let reply = try FormCall.call(request, arguments, &connection)
        guard let result = try console.value(of: reply, arguments) else { return }
        try console.print("forgot \(Plural.count(result.removed, "answer"))")
    }

    private static func fillIn(_ reply: FormReply, _ link: FormLink, _ console: Console) throws {
        if reply.isUnknown || reply.questions.isEmpty {
            throw ToolError(
                .software, "this form has questions that hark \(Version.current) does not know",
                hint: "Is the daemon newer? 'hark status' tells its version.")
        }
        let ending: AskEnding
        if console.hasScreen {
            var screen = AskOnScreen(AskedForm(reply, link, waits: false), console)
            ending = try screen.run()
        } else {
            var lines = AskByLines(AskedForm(reply, link, waits: true), console)
            ending = try lines.run()
        }
        try tell(ending, reply, link, console)
    }

    private static func tell(_ ending: AskEnding, _ reply: FormReply, _ link: FormLink, _ console: Console) throws {
        let goOn = "go on with: hark form \(VisibleText.make(reply.formId))"
        switch ending {
        case .answered, .held:
            return try console.print(VisibleText.make(reply.completionMessage ?? "Everything is answered. Thank you!"))
        case .waiting:
            console.say("hark: kept; what waits is sent as soon as the server can be reached")
            throw QuietExit(exit: .temporary)
        case .dismissed, .muted, .left:
            var text = reply.progress.text
            do { text = try link.call(FormProgressRequest()).progress.text } catch {
                console.say("hark: \(error.message)")
            }
            console.say("hark: \(VisibleText.make(text)); \(goOn)")
            throw QuietExit(exit: .declined)
        case .gone(let why):
            throw ToolError(.noInput, "the form cannot be filled in any more: \(why)")
        }
    }
}
