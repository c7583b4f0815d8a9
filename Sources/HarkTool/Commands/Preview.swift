import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let preview: Command = Command(
        name: "preview",
        summary: "Try out a survey from a file, and record nothing.",
        usage: ["[SURVEY]"],
        about: """
            Asks a survey as people see it, on the terminal or in a window, and prints the answers as they would be recorded. \
            Your daemon is not involved and need not run: a separate daemon, in a temporary folder that is removed afterwards, \
            checks the answers and chooses the next questions. The survey's triggers, limits and hours are ignored.

            Without SURVEY, the file must have exactly one survey. Without --file, the file is surveys.json in \
            $XDG_CONFIG_HOME/hark, or else in /etc/hark.

            The exit code is 0 if it was answered, and 1 if it was dismissed or put off.
            """,
        options: [file, language, variant, properties, .window, .json],
        examples: [
            .init("hark preview rating", "A survey that is in force."),
            .init("hark preview --file new.json --lang de", "A file that is not in force yet, in German."),
            .init("hark preview rating --variant warm", "A variant, which would otherwise be drawn by chance."),
        ],
        operands: 0...1,
        completes: .names(.survey),
        run: { arguments, console in
            let survey = try PreviewedSurvey(
                arguments.operands.first, in: arguments[file] ?? SurveyFile.usual, variant: arguments[variant])
            let event = try arguments[properties].map { try eventProperties($0) }
            let daemon = try PreviewDaemon(survey.document)
            defer { daemon.end() }
            try bringAbout(survey, event)
            let presentation = try ask(survey, arguments, console)
            try tell(presentation, arguments, console)
        })

    private static let file = Option("file", "f", value: "FILE", values: .files, "The file with the survey.")
    private static let language = Option("lang", "l", value: "LANGUAGE", "The language to ask in, as in de-AT.")
    private static let variant = Option(
        "variant", value: "VARIANT", "The variant of the survey to show.")
    private static let properties = Option(
        "event", "e", value: "JSON", "The properties of the event that triggers it, as an object.")

    private static func eventProperties(_ text: String) throws(ToolError) -> [UInt8] {
        let json = JSONText(text)
        guard json.isObject else {
            throw .usage("'--event' takes an object, such as '{\"amount\": 3}', not \(VisibleText.value(text))")
        }
        return json.line
    }

    /// Records the event; a file with faults has no survey that listens to it.
    private static func bringAbout(_ survey: PreviewedSurvey, _ properties: [UInt8]?) throws {
        var connection = try Connection()
        let listed = try connection.call(SurveyList()).value
        if let problem = listed.problems?.first, listed.surveys.isEmpty {
            throw ToolError(
                .data, "\(VisibleText.make(problem.path)): \(VisibleText.make(problem.message))",
                hint: "'hark config validate \(survey.file)' tells all that is wrong, with lines.")
        }
        _ = try connection.call(EventRecord(PreviewedSurvey.event, properties.map { AnyJSON(text: $0) }))
    }

    /// - Returns: The presentation.
    private static func ask(_ survey: PreviewedSurvey, _ arguments: Arguments, _ console: Console) throws -> String {
        let link = try SurveyLink(app: nil, isPresenter: false, on: .terminal)
        guard let waiting = try link.pending().first else {
            throw ToolError(.software, "the survey was not triggered")
        }
        if arguments.has(.window) {
            if let language = arguments[language] { setenv("LANGUAGE", language, 1) }
            do {
                try DialogWindow.run([waiting.id])
            } catch let absence as DialogWindow.Absence {
                throw ToolError(.unavailable, absence.why, hint: "Without --window it is asked on the terminal.")
            }
            return waiting.id
        }
        if let language = arguments[language] { link.locale = language }
        try ask(try link.present(waiting.id), link, console)
        return waiting.id
    }

    private static func tell(_ presentation: String, _ arguments: Arguments, _ console: Console) throws {
        var connection = try Connection()
        let history = try connection.call(SurveyHistory()).value
        let shown = history.presentations.json.elements.lazy.map { PresentationInfo($0) }.first {
            $0.presentationId.description == presentation
        }
        guard let answers = shown?.answers?.json else { return }
        if arguments.has(.json) { return try console.print(json: answers) }
        for (id, value) in answers.membersByName.sorted(by: { $0.key < $1.key }) {
            try console.print("\(VisibleText.make(id)): \(VisibleText.make(ScalarText.shown(value)))")
        }
        console.say("hark: a preview; nothing was recorded")
    }
}
