@testable import HarkTool

extension Command {
    static let note: Command = Command(
        name: "note",
        summary: "Keep a few words.",
        members: [
            .init("add") { noteAdd },
            .init("list") { noteList },
        ],
        fallback: "list")

    private static let noteAdd: Command = .calling(
        NoteAdd.self, "add", "Keep a note.",
        examples: [.init("hark note add 'buy milk'", "For later.")],
        bind: { command, request in
            command.operand("TEXT", &request.text)
            command.text(Option("user", "u", value: "USER", "Whose note it is. Default: nobody's."), &request.userId)
        },
        print: { result, _, console in try console.print("kept as \(result.id)") })

    private static let noteList: Command = .calling(
        NoteList.self, "list", "List the notes.",
        bind: { command, request in
            command.text(Option("user", "u", value: "USER", "Whose notes. Default: nobody's."), &request.userId)
        },
        print: { result, _, console in for note in result.notes { try console.print(note) } })
}
