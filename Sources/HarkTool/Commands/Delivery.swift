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

    private static let deliveryStatus: Command = Command(
        name: "status",
        summary: "Show how each destination stands.",
        about:
            "Shows each destination with its state, what waits for it, what was dropped and why, and its last error.",
        options: [.json],
        run: { arguments, console in
            var connection = try Connection()
            let reply = try connection.call(.deliveryStatus, as: DeliveryState.self)
            guard let result = try console.value(of: reply, arguments) else { return }
            let destinations = result.destinations
            try console.print(DestinationTable.text(destinations, console.style, columns: console.columns))
            let losses = DestinationTable.losses(destinations)
            if !losses.isEmpty { try console.print("\n" + losses) }
        })

    private static let deliveryFlush: Command = Command(
        name: "flush",
        summary: "Deliver now what waits.",
        usage: ["[DESTINATION]"],
        about: """
            Delivers what waits for more to gather or for the next try. A wait that a server asked for holds; 'hark \
            delivery resume' ends it.
            """,
        operands: 0...1,
        completes: .names(.destination),
        run: { arguments, _ in
            var connection = try Connection()
            _ = try connection.call(.deliveryFlush) { $0.member(.onlyDestination, arguments.operands.first) }
        })

    private static let deliveryResume: Command = Command(
        name: "resume",
        summary: "End a suspension.",
        usage: ["[DESTINATION]"],
        about: "A server whose quota was used up is tried no more until this is said; so is one that asked for a wait.",
        options: [.json],
        operands: 0...1,
        completes: .names(.destination),
        run: { arguments, console in
            var connection = try Connection()
            let reply = try connection.call(.deliveryResume, as: ResumedDestinations.self) { params in
                params.member(.onlyDestination, arguments.operands.first)
            }
            guard let result = try console.value(of: reply, arguments) else { return }
            let names = result.resumed.map { VisibleText.make($0) }
            try console.print(names.isEmpty ? "nothing was suspended" : "resumed \(names.joined(separator: ", "))")
        })

    private static let deadLetters: Command = Command(
        name: "dead",
        summary: "List what destinations will not take.",
        usage: ["[DESTINATION]"],
        options: [limit, .json],
        operands: 0...1,
        completes: .names(.destination),
        run: { arguments, console in
            let count = try arguments.integer(limit, in: 1...1_000)
            var connection = try Connection()
            let reply = try connection.call(.deadLetters, as: DeadLetterPage.self) { params in
                params.member(.onlyDestination, arguments.operands.first)
                params.member(.letterLimit, count)
            }
            guard let page = try console.value(of: reply, arguments) else { return }
            let letters = page.deadLetters
            if letters.isEmpty { return try console.print("there are no dead letters") }
            try console.print(DeadLetterText.text(letters, console.style))
            if page.more, arguments.operands.isEmpty || !arguments.has(limit) {
                console.say(
                    "hark: there are more; name a destination, or 'hark call delivery.deadletters' goes on (after)")
            }
        })

    private static let replay: Command = Command(
        name: "replay",
        summary: "Have dead letters tried again.",
        usage: ["DESTINATION [SEQ …]"],
        about: "Without numbers, all of the destination.",
        options: [.json],
        examples: [.init("hark delivery replay core", "Once the fault at the server is mended.")],
        operands: 1...Int.max,
        completes: .names(.destination),
        isStrict: { _ in true },
        run: { arguments, console in
            try change(.deliveryReplay, \ReplayedLetters.replayed, "to be tried again", arguments, console)
        })

    private static let drop: Command = Command(
        name: "drop",
        summary: "Forget dead letters.",
        usage: ["DESTINATION [SEQ …]"],
        about: "Without numbers, all of the destination; what is forgotten is never delivered.",
        options: [.json],
        operands: 1...Int.max,
        completes: .names(.destination),
        isStrict: { _ in true },
        run: { arguments, console in
            try change(.deliveryDrop, \DroppedLetters.dropped, "forgotten", arguments, console)
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
            let settings = try connection.call(.configGet, as: SettingsResult.self).value.config.json
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

    private static let limit = Option("limit", "n", value: "N", "At most so many, 1 to 1000; 100 without it.")

    private static func change<Result: WireObject>(
        _ method: MethodShape, _ count: KeyPath<Result, Int64>, _ participle: String, _ arguments: Arguments,
        _ console: Console
    ) throws {
        let numbers = try arguments.operands.dropFirst().map { text throws(ToolError) in
            guard let number = Int64(text), number > 0 else {
                throw ToolError.usage(
                    "'\(text)' is no number of a record", hint: "'hark delivery dead' shows them.")
            }
            return UInt64(number)
        }
        var connection = try Connection()
        let reply = try connection.call(method, as: Result.self) { params in
            params.member(.destinationOfLetters, arguments.operands.first)
            if !numbers.isEmpty { params.member(.letters, numbers) }
        }
        guard let result = try console.value(of: reply, arguments) else { return }
        try console.print("\(Plural.count(result[keyPath: count], "dead letter")) \(participle)")
    }
}
