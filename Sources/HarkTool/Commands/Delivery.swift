import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let delivery: Command = Command(
        name: "delivery",
        summary: "Show and steer what goes to servers.",
        about: """
            Destinations are set up in harkd.json. Each is delivered to in order, again and again until it has accepted; \
            what it will never take lies among the dead letters.
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
        DeliveryStatus.self, "status", "Show how each destination stands.",
        about:
            "Shows each destination with its state, what waits for it, what was dropped and why, and its last error.",
        output: [.json],
        print: { result, _, console in
            let destinations = result.destinations
            try console.print(DestinationTable.text(destinations, console.style, columns: console.columns))
            let losses = DestinationTable.losses(destinations)
            if !losses.isEmpty { try console.print("\n" + losses) }
        })

    private static let deliveryFlush: Command = .calling(
        DeliveryFlush.self, "flush", "Deliver now what waits.",
        about: """
            Delivers what waits for more to gather or for the next try. A wait that a server asked for holds; 'hark \
            delivery resume' ends it.
            """,
        completes: .names(.destination),
        bind: { command, request in command.operand("[DESTINATION]", &request.destination) })

    private static let deliveryResume: Command = .calling(
        DeliveryResume.self, "resume", "End a suspension.",
        about: "A server whose quota was used up is tried no more until this is said; so is one that asked for a wait.",
        completes: .names(.destination), output: [.json],
        bind: { command, request in command.operand("[DESTINATION]", &request.destination) },
        print: { result, _, console in
            let names = result.resumed.map { VisibleText.make($0) }
            try console.print(names.isEmpty ? "nothing was suspended" : "resumed \(names.joined(separator: ", "))")
        })

    private static let deadLetters: Command = .calling(
        DeliveryDeadLetters.self, "dead", "List what destinations will not take.",
        completes: .names(.destination), output: [.json],
        bind: { command, request in
            command.operand("[DESTINATION]", &request.destination)
            command.integer(
                Option("limit", "n", value: "N", "At most so many, 1 to 1000; 100 without it."), in: 1...1_000,
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
        DeliveryReplay.self, "replay", "Have dead letters tried again.",
        about: "Without numbers, all of the destination.",
        completes: .names(.destination), isStrict: true,
        examples: [.init("hark delivery replay core", "Once the fault at the server is mended.")],
        output: [.json], bind: { command, request in command.letters(&request.letters) },
        print: { result, _, console in
            try console.print("\(Plural.count(result.replayed, "dead letter")) to be tried again")
        })

    private static let drop: Command = .calling(
        DeliveryDrop.self, "drop", "Forget dead letters.",
        about: "Without numbers, all of the destination; what is forgotten is never delivered.",
        completes: .names(.destination), isStrict: true,
        output: [.json], bind: { command, request in command.letters(&request.letters) },
        print: { result, _, console in
            try console.print("\(Plural.count(result.dropped, "dead letter")) forgotten")
        })

    private static let schema: Command = Command(
        name: "schema",
        summary: "Print the tables that a database needs.",
        usage: ["DESTINATION"],
        about: """
            Prints the SQL by which Hark makes its tables in the database of this destination, as the settings have it. Where Hark \
            may make tables there, it does so itself; this is for whoever makes them otherwise. See docs/reference/databases.md for the rights \
            that Hark needs then.
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
