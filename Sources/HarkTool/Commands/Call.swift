import Glibc
import HarkClient

extension Command {
    static let call: Command = Command(
        name: "call",
        summary: "Call a method of the daemon and print its result.",
        usage: ["METHOD [JSON | -]"],
        about: """
            Sends METHOD with the JSON object as its params and prints the result as one line of JSON. With - the object \
            is read from standard input. hark-protocol(7) describes the methods.
            """,
        examples: [
            .init("hark call hello", "Version and capabilities of the daemon."),
            .init("hark call event.list '{\"limit\": 2}'", "The first two events."),
        ],
        operands: 1...2,
        run: { arguments, console in
            let given = arguments.operands.count > 1 ? arguments.operands[1] : "{}"
            let params = given == "-" ? try InputFile.standardInput() : Array(given.utf8)
            let text = JSONText(ArraySlice(params))
            guard text.isOneObject else {
                throw ToolError(
                    .usage, "the params are not one JSON object",
                    hint: "Quote them for the shell: hark call METHOD '{\"name\": \"value\"}'.")
            }
            let method = arguments.operands[0]
            guard method.utf8.allSatisfy({ $0 >= 0x20 && $0 != .quote && $0 != .backslash }) else {
                throw ToolError.usage("'\(method)' is no method's name")
            }
            var connection = try Connection()
            connection.patience = nil
            try console.print(json: try connection.call(method, text.line))
        })
}
