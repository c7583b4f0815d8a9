import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let retention: Command = Command(
        name: "retention",
        summary: "Show and apply how long events and answers are kept.",
        about: """
            The daemon removes old sessions by itself when a session starts, and daily. An open session is never removed, and \
            answers of surveys outlast their session. The policy is "retention" in harkd.json: none, long (two years, in at most \
            4 GB or a tenth of the disk; the default), conservative (90 days, 100 sessions per user), standard (30 days, 50 \
            sessions), aggressive (7 days, 20 sessions), or numbers of your own.
            """,
        members: [
            .init("show") { retentionShow },
            .init("apply") { retentionApply },
        ],
        fallback: "show")

    private static let retentionShow: Command = Command(
        name: "show",
        summary: "Show the policy and what it would remove now.",
        options: [.json],
        run: { arguments, console in
            try apply(dryRun: true, policy: nil, arguments, console)
        })

    private static let retentionApply: Command = Command(
        name: "apply",
        summary: "Apply the retention policy now.",
        about: """
            Applies the policy of the configuration, or the one given here, once. The configuration does not change. A clock \
            that has jumped ahead is not trusted at once; --trust-clock confirms that it is right.
            """,
        options: [policy, maxAge, maxSessions, maxBytes, maxAnswerAge, dryRun, trustClock, .json],
        examples: [.init("hark retention apply --max-age-days 14 --dry-run", "How much is older than two weeks?")],
        calls: RetentionApply.name,
        run: { arguments, console in
            if let policy = arguments[policy] {
                for option in [maxAge, maxSessions, maxBytes, maxAnswerAge] {
                    try arguments.atMostOne(of: Self.policy, option)
                }
                var writer = JSONWriter()
                writer.string(policy)
                return try apply(dryRun: arguments.has(dryRun), policy: writer.bytes, arguments, console)
            }
            var writer = JSONWriter()
            writer.beginObject()
            func writeDays(_ option: Option) throws {
                guard let text = arguments[option] else { return }
                guard let days = Double(text), days > 0, days <= 1_000_000 else {
                    throw ToolError.usage("--\(option.name) takes a number of days above 0, such as 30 or 0.5")
                }
                writer.key("maxAgeDays")
                writer.double(days)
            }
            try writeDays(maxAge)
            if let sessions = try arguments.integer(maxSessions, in: 1...Int64.max) {
                writer.member("maxSessionsPerUser", sessions)
            }
            if let bytes = try arguments.integer(maxBytes, in: 1...Int64.max) { writer.member("maxStoreBytes", bytes) }
            if arguments.has(maxAnswerAge) {
                writer.key("answers")
                writer.beginObject()
                try writeDays(maxAnswerAge)
                writer.endObject()
            }
            writer.endObject()
            let own = [maxAge, maxSessions, maxBytes, maxAnswerAge].contains { arguments.has($0) }
            try apply(dryRun: arguments.has(dryRun), policy: own ? writer.bytes : nil, arguments, console)
        })

    private static let policy = Option(
        "policy", value: "NAME", values: .words(RetentionPreset.allCases.map(\.rawValue)),
        "A preset: none, long, conservative, standard or aggressive.")
    private static let maxAge = Option(
        "max-age-days", value: "N", "Keep sessions that ended in the last N days, as 30 or 0.5.")
    private static let maxSessions = Option("max-sessions", value: "N", "Keep the newest N sessions of each user.")
    private static let maxBytes = Option("max-bytes", value: "N", "Keep the store below N bytes.")
    private static let maxAnswerAge = Option(
        "max-answer-age-days", value: "N", "Keep answers of surveys that were asked in the last N days.")
    private static let dryRun = Option("dry-run", "Only say what would be removed.")

    private static let trustClock = Option(
        "trust-clock", "The machine's clock is right, though it has jumped ahead.")

    private static func apply(
        dryRun: Bool, policy: [UInt8]?, _ arguments: Arguments, _ console: Console
    ) throws {
        var connection = try Connection()
        connection.patience = nil
        var request = RetentionApply()
        request.policy = policy.map { AnyJSON(text: $0) }
        request.dryRun = dryRun
        request.trustClock = arguments.has(trustClock) ? true : nil
        let reply = try connection.call(request)
        guard let result = try console.value(of: reply, arguments) else { return }
        let events = Plural.count(result.events, "event")
        let sessions = Plural.count(result.sessions, "session")
        try console.print("policy: \(describe(RetentionNumbers(result.policy.json)))")
        let showings = Plural.count(result.showings, "showing")
        try console.print(
            "\(dryRun ? "would remove" : "removed") \(sessions) with \(events), and \(showings) of surveys with their answers"
        )
        if result.texts > 0 {
            let texts = Plural.count(result.texts, "free text")
            try console.print("\(dryRun ? "would put a mark" : "put a mark") in the place of \(texts) of answers")
        }
        if let note = ClockNote.text(result.believedTime) {
            console.say("the clock \(note); if it is right: hark retention apply --trust-clock")
        }
    }

    private static func describe(_ policy: RetentionNumbers) -> String {
        var parts: [String] = []
        if let days = policy.maxAgeDays {
            let age = Int64(exactly: days).map { Plural.count($0, "day") } ?? DurationText.make(days * 86_400)
            parts.append("at most \(age) old")
        }
        if let count = policy.maxSessionsPerUser {
            parts.append("at most \(Plural.count(count, "session")) per user")
        }
        if let bytes = policy.maxStoreBytes { parts.append("a store of at most \(DurationText.bytes(bytes))") }
        let answers = policy.answers.maxAgeDays.map { "answers for \(DurationText.make($0 * 86_400))" }
        if parts.isEmpty, let answers { return "keep every session, and \(answers)" }
        return parts.isEmpty ? "keep everything" : (parts + [answers ?? "answers for good"]).joined(separator: ", ")
    }
}
