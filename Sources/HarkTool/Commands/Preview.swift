import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let preview: Command = Command(
        name: "preview",
        summary: "Try a survey of a file out, and record nothing.",
        usage: ["[SURVEY]"],
        about: """
            Asks a survey as a person would be asked it, on the terminal or in a window, and prints the answers as they would \
            be recorded. The daemon that serves you hears nothing of it, and none has to run: a daemon of its own, in a \
            temporary folder that is removed afterwards, checks the answers and finds the way through the questions. What \
            brings the survey about, its limits and its hours do not matter.

            Without SURVEY the file must have one alone. Without --file it is surveys.json in $XDG_CONFIG_HOME/hark, or else \
            in /etc/hark.

            The exit code is 0 if it was answered, and 1 if it was dismissed or put off.
            """,
        options: [file, language, properties, .window, .json],
        examples: [
            .init("hark preview rating", "A survey that is in force."),
            .init("hark preview --file new.json --lang de", "A file that is not yet, in German."),
        ],
        operands: 0...1,
        completes: .names(.survey),
        run: { arguments, console in
            let survey = try PreviewedSurvey(arguments.operands.first, in: arguments[file] ?? SurveyFile.usual)
            let event = try arguments[properties].map { try eventProperties($0) }
            let daemon = try PreviewDaemon(survey.document)
            defer { daemon.end() }
            try bringAbout(survey, event)
            let presentation = try ask(survey, arguments, console)
            try tell(presentation, arguments, console)
        })

    private static let file = Option("file", "f", value: "FILE", values: .files, "The file with the survey.")
    private static let language = Option("lang", "l", value: "LANGUAGE", "The language to ask in, as in de-AT.")
    private static let properties = Option(
        "event", "e", value: "JSON", "The properties of the event that brings it about, as an object.")

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
        let listed = try connection.call(.surveyList)
        if let problem = listed.member("problems")?.elements.first, listed.member("surveys")?.elements.isEmpty ?? true {
            let path = problem.member("path")?.string ?? ""
            throw ToolError(
                .data, "\(VisibleText.make(path)): \(VisibleText.make(problem.member("message")?.string ?? ""))",
                hint: "'hark config validate \(survey.file)' tells all that is wrong, with lines.")
        }
        _ = try connection.call(.eventRecord) { params in
            params.member(.newEvent, PreviewedSurvey.event)
            if let properties { params.member(.properties, raw: properties) }
        }
    }

    /// - Returns: The presentation.
    private static func ask(_ survey: PreviewedSurvey, _ arguments: Arguments, _ console: Console) throws -> String {
        let link = try SurveyLink(app: nil, isPresenter: false, on: .terminal)
        guard let waiting = try link.pending().first else {
            throw ToolError(.software, "the survey did not come about")
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
        let history = try connection.call(.surveyHistory)
        let shown = history.member("presentations")?.elements.first {
            $0.member("presentationId")?.string == presentation
        }
        guard let answers = shown?.member("answers") else { return }
        if arguments.has(.json) { return try console.print(json: answers) }
        for (id, value) in answers.membersByName.sorted(by: { $0.key < $1.key }) {
            try console.print("\(VisibleText.make(id)): \(VisibleText.make(ScalarText.shown(value)))")
        }
        console.say("hark: a preview; nothing was recorded")
    }
}

/// A survey of a file, with a trigger of the preview's own.
struct PreviewedSurvey {
    static let event = "preview"

    let file: String
    let document: [UInt8]

    /// What asks for other parts of the file, or for a trigger that is replaced.
    private static let leftOut: Set<String> = ["trigger", "groups", "whenAway", "finishWithinSeconds", "quietHours"]

    init(_ id: String?, in file: String) throws(ToolError) {
        self.file = file
        let text = JSONText(ArraySlice(try InputFile.read(file)))
        let surveys = text.member("surveys")?.elements ?? []
        let ids = surveys.map { $0.member("id")?.string ?? "" }
        guard let place = id == nil && ids.count == 1 ? 0 : ids.firstIndex(where: { $0 == id }) else {
            if ids.isEmpty {
                throw ToolError(
                    .data, "\(file) has no surveys", hint: "'hark config validate \(file)' tells what is wrong with it."
                )
            }
            let names = ids.map { VisibleText.value($0) }.joined(separator: ", ")
            throw ToolError(
                .noInput, id.map { "\(file) has no survey \(VisibleText.value($0))" } ?? "\(file) has several surveys",
                hint: "Name one of \(names).")
        }
        var writer = JSONWriter()
        writer.beginObject()
        let folder = try Self.folder(of: file)
        for (key, value) in surveys[place].membersByName where !Self.leftOut.contains(key) {
            writer.key(key)
            if let read = try? JSONDocument(Array(value.line), .json5).value {
                writer.value(Self.placed(read, in: folder))
            } else {
                writer.raw(value.line)
            }
        }
        writer.key("trigger")
        writer.raw(#"{"event":{"name":"\#(Self.event)"}}"#.utf8.map { $0 })
        writer.endObject()
        document = writer.bytes
    }

    private static func folder(of file: String) throws(ToolError) -> String {
        let folder = file == "-" ? "." : Examination.folder(of: file)
        return folder.hasPrefix("/") ? folder : "\(try Command.currentFolder())/\(folder)"
    }

    /// Has the paths of images start at the folder of the file, as the daemon of a preview has another one.
    static func placed(_ value: JSONValue, in folder: String) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { placed($0, in: folder) })
        case .object(let object):
            let members = object.map { member -> (String, JSONValue) in
                guard member.key == "image", let file = member.value.stringValue, !file.hasPrefix("/"),
                    file.contains(where: { !$0.isWhitespace }), !file.contains("://")
                else { return (member.key, placed(member.value, in: folder)) }
                return (member.key, .string("\(folder)/\(file)"))
            }
            return .object(JSONObject(members))
        default: return value
        }
    }
}
