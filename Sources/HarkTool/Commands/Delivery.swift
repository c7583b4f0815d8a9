import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let delivery: Command = Command(
        name: "delivery",
        summary: "Show and control deliveries to servers.",
        about: """
            Destinations are set up in harkd.json. Records are sent to each in order, again and again until it accepts them. \
            Records that it refuses for good become dead letters.
            """,
        members: [
            .init("status") { deliveryStatus },
            .init("flush") { deliveryFlush },
            .init("resume") { deliveryResume },
            .init("dead") { deadLetters },
            .init("replay") { replay },
            .init("drop") { drop },
            .init("schema") { schema },
        ],
        fallback: "status")

    private static let deliveryStatus: Command = .calling(
        DeliveryStatus.self, "status", "Show the state of each destination.",
        about:
            "Shows each destination with its state, waiting and dropped records with the reasons, and its last error.",
        output: [.json],
        print: { result, _, console in
            let destinations = result.destinations
            try console.print(DestinationTable.text(destinations, console.style, columns: console.columns))
            let losses = DestinationTable.losses(destinations)
            if !losses.isEmpty { try console.print("\n" + losses) }
        })

    private static let deliveryFlush: Command = .calling(
        DeliveryFlush.self, "flush", "Deliver waiting records now.",
        about: """
            Delivers waiting records now, without waiting for more of them or for the next try. A wait that a server asked for \
            stays in force; 'hark delivery resume' ends it.
            """,
        completes: .names(.destination),
        bind: { command, request in command.operand("[DESTINATION]", &request.destination) })

    private static let deliveryResume: Command = .calling(
        DeliveryResume.self, "resume", "End a suspension.",
        about: "A server whose quota was used up, or that asked for a wait, is tried again only after this.",
        completes: .names(.destination), output: [.json],
        bind: { command, request in command.operand("[DESTINATION]", &request.destination) },
        print: { result, _, console in
            let names = result.resumed.map { VisibleText.make($0) }
            try console.print(names.isEmpty ? "nothing was suspended" : "resumed \(names.joined(separator: ", "))")
        })

    private static let deadLetters: Command = .calling(
        DeliveryDeadLetters.self, "dead", "List the records that destinations refuse.",
        completes: .names(.destination), output: [.json],
        bind: { command, request in
            command.operand("[DESTINATION]", &request.destination)
            command.integer(
                Option("limit", "n", value: "N", "At most this many, 1 to 1000; 100 without it."), in: 1...1_000,
                &request.limit)
        },
        print: { page, request, console in
            if page.deadLetters.isEmpty { return try console.print("there are no dead letters") }
            try console.print(DeadLetterText.text(page.deadLetters, console.style))
            if page.more, request.destination == nil || request.limit == nil {
                console.say(
                    "hark: there are more; name a destination, or 'hark call delivery.deadletters' goes on (after)")
            }
        })

    private static let replay: Command = .calling(
        DeliveryReplay.self, "replay", "Try dead letters again.",
        about: "Without numbers, all of the destination's.",
        completes: .names(.destination), isStrict: true,
        examples: [.init("hark delivery replay core", "After the fault at the server is fixed.")],
        output: [.json], bind: { command, request in command.letters(&request.letters) },
        print: { result, _, console in
            try console.print("\(Plural.count(result.replayed, "dead letter")) to be tried again")
        })

    private static let drop: Command = .calling(
        DeliveryDrop.self, "drop", "Forget dead letters.",
        about: "Without numbers, all of the destination's. A forgotten record is never delivered.",
        completes: .names(.destination), isStrict: true,
        output: [.json], bind: { command, request in command.letters(&request.letters) },
        print: { result, _, console in
            try console.print("\(Plural.count(result.dropped, "dead letter")) forgotten")
        })

    private static let schema: Command = Command(
        name: "schema",
        summary: "Print the SQL for the tables of a database.",
        usage: ["DESTINATION"],
        about: """
            Prints the SQL with which Hark makes its tables in the database of this destination, according to the settings. Hark \
            makes the tables itself if it may. If it may not, an administrator can run this SQL. See docs/reference/databases.md \
            for the rights that Hark needs then.
            """,
        examples: [.init("hark delivery schema pg | psql -1 hark", "As the owner of the database.")],
        operands: 1...1,
        completes: .names(.destination),
        run: { arguments, console in
            var connection = try Connection()
            let settings = try connection.call(ConfigGet()).value.config.json
            let name = arguments.operands[0]
            guard let destination = DestinationList(settings).destinations?.first(where: { $0.name == name }) else {
                throw ToolError.usage(
                    "there is no destination '\(VisibleText.make(name))'",
                    hint: "'hark delivery' shows those there are.")
            }
            guard destination.kind == "postgresql" else {
                throw ToolError.usage(
                    "'\(VisibleText.make(name))' is no database with tables",
                    hint: "Only those of the kind postgresql have.")
            }
            var schema = PostgresSchema()
            schema.isByMonth = destination.partitionBy == "month"
            schema.followsRemovals = destination.followRemovals == true
            try console.print(schema.script)
        })
}

extension Binder {
    /// Binds the destination of dead letters, and their numbers.
    fileprivate mutating func letters(_ letters: inout LetterChoice) {
        operand("DESTINATION", &letters.destination)
        operands("[SEQ …]") { words throws(ToolError) in
            letters.numbers = try words.map { text throws(ToolError) in
                guard let number = Int64(text), number > 0 else {
                    throw .usage("'\(text)' is no number of a record", hint: "'hark delivery dead' shows them.")
                }
                return UInt64(number)
            }
        }
    }
}
