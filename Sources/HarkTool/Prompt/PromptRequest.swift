import Glibc
import HarkClient
import HarkWire

/// The question on a command line.
struct PromptRequest {
    private let arguments: Arguments
    let uids: [UInt32]
    let timeout: Int64?
    private let kind: PromptKind?
    /// Chosen by the client, so that a repeated request does not ask twice.
    let id: Identifier

    private static let mostOptions = 50

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        var identifiers = Identifier.Generator()
        id = identifiers.next(at: LocalTime.now)
        guard !arguments.operands.isEmpty else {
            throw ToolError.usage("the question is missing", hint: "Like: hark prompt 'Deploy now?' Yes No")
        }
        try arguments.atMostOne(of: PromptOptions.multiple, PromptOptions.text)
        for kind in [PromptOptions.multiple, PromptOptions.text] {
            try arguments.atMostOne(of: PromptOptions.rating, kind)
        }
        kind = try PromptKind(arguments)
        let hasOptions = arguments.operands.count > 1
        guard arguments.operands.count <= 1 + Self.mostOptions else {
            throw ToolError.usage(
                "a question has at most \(Self.mostOptions) options, and these are \(arguments.operands.count - 1)",
                hint:
                    "An option with spaces is one only in quotes; ask for a text (--text) where there are that many answers."
            )
        }
        if hasOptions, arguments.has(PromptOptions.rating) {
            throw ToolError.usage("'--rating' takes no options", hint: "Leave '\(arguments.operands[1])' out.")
        }
        if !hasOptions, kind == nil, !arguments.has(PromptOptions.rating), !arguments.has(PromptOptions.text) {
            throw ToolError.usage(
                "there is nothing to answer with",
                hint: "Name options behind the question (hark prompt 'Deploy now?' Yes No), or give --text, --rating, "
                    + "--number, --scale, --date, --time or --yes-no."
            )
        }
        let seen = arguments.all(PromptOptions.user)
        uids = try seen.map(AccountArgument.uid)
        guard Set(uids).count == uids.count else { throw ToolError.usage("'--user' names the same account twice") }
        timeout = try arguments.span(PromptOptions.timeout)
    }

    /// Whether the calling user is one of the people to ask.
    var isForMyself: Bool { uids.isEmpty || uids.contains(getuid()) }

    /// Returns the request.
    ///
    /// - Parameters:
    ///   - requiresPresenter: Whether the daemon refuses if nothing would show the question.
    ///   - isKept: Whether no caller waits for the answer.
    func asked(requiresPresenter: Bool, isKept: Bool) throws -> PromptAsk {
        var request = PromptAsk()
        let scale = kind == nil ? try arguments.integer(PromptOptions.scale, in: 2...10) ?? 5 : 5
        request.fallback = try fallback.map { AnyJSON($0) }
        let options = kind == nil ? Array(arguments.operands.dropFirst()) : []
        request.promptId = id
        request.question = arguments.operands[0]
        request.message = arguments[PromptOptions.message]
        if !options.isEmpty { request.options = options }
        if arguments.has(PromptOptions.multiple), kind == nil { request.multiple = true }
        if arguments.has(PromptOptions.text), kind == nil { request.text = true }
        if arguments.has(PromptOptions.rating) { request.scale = scale }
        request.kind = kind.map { AnyJSON($0.document) }
        request.timeoutSeconds = timeout
        request.name = arguments[PromptOptions.name]
        request.app = arguments[.app]
        if !uids.isEmpty { request.uids = uids }
        if requiresPresenter { request.requirePresenter = true }
        if isKept { request.keep = true }
        return request
    }

    /// The answer that `--default` stands for.
    private var fallback: JSONValue? {
        get throws {
            let words = arguments.all(PromptOptions.fallback)
            guard let word = words.first else { return nil }
            if arguments.has(PromptOptions.multiple) || kind?.isList == true {
                return .array(words.map(JSONValue.string))
            }
            guard words.count == 1 else {
                throw ToolError.usage(
                    "'--default' is given twice", hint: "Only --multiple and --ranking take several.")
            }
            if let kind { return try kind.fallback(word) }
            guard arguments.has(PromptOptions.rating) else { return .string(word) }
            guard let number = Int64(word) else {
                throw ToolError.usage("'--default' of a rating is a number, not '\(word)'")
            }
            return .int(number)
        }
    }
}

enum PromptOptions {
    static let message = Option("message", "m", value: "TEXT", "The text below the question.")
    static let multiple = Option("multiple", "M", "Several options may be chosen; each is a line of the answer.")
    static let text = Option("text", "t", "The answer is a text; behind options, a text may be added as a second line.")
    static let pattern = Option(
        "pattern", value: "REGEX", "With --text: a regular expression (PCRE2) that the whole text must match.")
    static let patternMessage = Option(
        "pattern-message", value: "TEXT", "The message for a text that does not match.")
    static let other = Option(
        "other", "A last option 'Other' takes a text, which is the second line of the answer.")
    static let shuffle = Option("shuffle", "The options are shown in random order.")
    static let rating = Option("rating", "r", "The answer is a number from 1 to 5.")
    static let scale = Option(
        "scale", value: "ENDS",
        "The answer is a number of a scale with these ends, such as 0..100; with --rating, the best rating, 2 to 10.")
    static let number = Option("number", "The answer is a number.")
    static let ranking = Option("ranking", "The answer is the options in order, the best first, one per line.")
    static let date = Option("date", "The answer is a date, such as 2026-01-31.")
    static let time = Option("time", "The answer is a time of day, such as 14:30.")
    static let min = Option(
        "min", value: "N", "The least number, or the first date or time. A date may also be like -7d, from today.")
    static let max = Option("max", value: "N", "The greatest number, or the last date or time.")
    static let step = Option("step", value: "N", "The step between two answers.")
    static let integer = Option("integer", "The number is whole.")
    static let unit = Option("unit", value: "UNIT", "The unit of the number.")
    static let label = Option(
        "label", nil, value: "N=TEXT", repeats: true, "A label for a number of the scale; may be given several times.")
    static let yesNo = Option("yes-no", "The answer is yes or no.")
    static let timeout = Option(
        "timeout", "T", value: "TIME",
        "How long to wait for an answer: \(DurationArgument.forms), 31 days at most. Default: 7d.")
    static let fallback = Option(
        "default", "d", value: "ANSWER", repeats: true,
        "The answer that counts when time runs out, or when there is nobody to ask.")
    static let name = Option(
        "name", "n", value: "NAME",
        "The answer is recorded and counted under this name: 'hark results NAME'. Default: prompt.")
    static let user = Option(
        "user", "u", value: "ACCOUNT", repeats: true,
        "Ask this account of the machine, by name or number, and not yourself. May be given several times; the first "
            + "answer counts. Only root and the administrators' group of the machine's daemon may ask others.")
    static let noWait = Option("no-wait", "Print the prompt's id and do not wait; with --id, print its state.")
    static let id = Option(
        "id", value: "ID", values: .names(.prompt), "Wait for the answer to a prompt that was asked before.")
}
