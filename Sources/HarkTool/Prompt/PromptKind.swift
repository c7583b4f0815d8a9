import HarkWire

/// A question on a command line that is answered by a number, a date, a time, or by yes or no, as a survey file would have it.
struct PromptKind {
    /// The value of `kind` in `prompt.ask`.
    let document: JSONValue
    private let isNumber: Bool
    /// Whether its answer is a list.
    let isList: Bool

    /// The options for written answers, and the options for numbers.
    private static let ofWritten = [PromptOptions.min, PromptOptions.max]
    private static let ofNumbers = [PromptOptions.step, PromptOptions.unit]

    /// - Returns: Nil if none of these kinds is asked for.
    init?(_ arguments: Arguments) throws {
        let range = arguments.has(PromptOptions.rating) ? nil : arguments[PromptOptions.scale]
        let isNumber = arguments.has(PromptOptions.number)
        let isYesNo = arguments.has(PromptOptions.yesNo)
        let moments = [PromptOptions.date, PromptOptions.time].filter(arguments.has)
        for option in Self.ofWritten where arguments.has(option) && !isNumber && moments.isEmpty {
            throw ToolError.usage(
                "'--\(option.name)' is for '--number', '--date' and '--time'",
                hint: "A scale has its ends: --scale 0..100.")
        }
        if arguments.has(PromptOptions.integer), !isNumber {
            throw ToolError.usage("'--integer' is for '--number'")
        }
        for option in Self.ofNumbers where arguments.has(option) && !isNumber && range == nil {
            throw ToolError.usage("'--\(option.name)' is for '--number' and '--scale'")
        }
        if arguments.has(PromptOptions.label), range == nil {
            throw ToolError.usage("'--label' is for '--scale'", hint: "Like: --scale 0..10 --label 0=never")
        }
        let isRanking = arguments.has(PromptOptions.ranking)
        let pattern = try Self.pattern(arguments)
        let (hasOther, isMultiple) = (arguments.has(PromptOptions.other), arguments.has(PromptOptions.multiple))
        let isShuffled = arguments.has(PromptOptions.shuffle)
        let choosing = hasOther ? "--other" : isShuffled && !isRanking ? "--shuffle" : nil
        let kinds =
            [
                (isNumber, "--number"), (range != nil, "--scale"), (isYesNo, "--yes-no"), (isRanking, "--ranking"),
                (pattern != nil, "--pattern"), (choosing != nil, choosing ?? ""),
            ].filter(\.0).map(\.1) + moments.map { "--\($0.name)" }
        guard let kind = kinds.first else { return nil }
        let others = [PromptOptions.multiple, PromptOptions.text, PromptOptions.rating].filter(arguments.has)
            .map { "--\($0.name)" }.filter { $0 != (pattern != nil ? "--text" : choosing != nil ? "--multiple" : "") }
        if let other = (kinds.dropFirst() + others).first {
            throw ToolError.usage("'\(kind)' and '\(other)' contradict each other", hint: "Give one of them.")
        }
        let options = Array(arguments.operands.dropFirst())
        if isRanking, options.count < 2 {
            throw ToolError.usage(
                "'--ranking' needs two options or more", hint: "Like: hark prompt 'What first?' Lift Stairs --ranking")
        }
        if let choosing, options.isEmpty {
            throw ToolError.usage(
                "'\(choosing)' needs at least one option",
                hint: "Like: hark prompt 'How did you come?' Bus Bike \(choosing)")
        }
        if !isRanking, choosing == nil, let option = options.first {
            throw ToolError.usage("'\(kind)' takes no options", hint: "Leave '\(option)' out.")
        }
        var members: [(String, JSONValue)] = []
        if let range {
            let (low, high) = try Self.ends(range)
            members = [("type", "scale"), ("min", low.value), ("max", high.value)]
            let labels = try arguments.all(PromptOptions.label).map(Self.label)
            if !labels.isEmpty { members.append(("labels", .object(JSONObject(labels)))) }
        } else if isNumber {
            members = [("type", "number")]
            for option in Self.ofWritten {
                if let word = arguments[option] { members.append((option.name, try Self.number(word, option).value)) }
            }
            if arguments.has(PromptOptions.integer) { members.append(("integer", true)) }
        } else if let moment = moments.first {
            members = [("type", .string(moment.name))]
            for option in Self.ofWritten {
                if let word = arguments[option] {
                    members.append((option.name, .string(try Self.bound(word, option, of: moment))))
                }
            }
        } else if isRanking {
            members = [("type", "ranking"), ("options", .array(options.map(JSONValue.string)))]
        } else if choosing != nil {
            members = [
                ("type", isMultiple ? "multiple" : "single"), ("options", .array(options.map(JSONValue.string))),
            ]
            if hasOther { members.append(("other", true)) }
        } else if let pattern {
            members = pattern
        } else {
            members = [("type", "yes-no")]
        }
        if isShuffled { members.append(("shuffle", true)) }
        if let step = arguments[PromptOptions.step] {
            members.append(("step", try Self.number(step, PromptOptions.step).value))
        }
        if let unit = arguments[PromptOptions.unit] { members.append(("unit", .string(unit))) }
        document = .object(JSONObject(members))
        self.isNumber = isNumber || range != nil
        isList = isRanking || choosing != nil && isMultiple
    }

    /// The members of a text of a form; nil without one.
    private static func pattern(_ arguments: Arguments) throws(ToolError) -> [(String, JSONValue)]? {
        guard let pattern = arguments[PromptOptions.pattern] else {
            guard !arguments.has(PromptOptions.patternMessage) else {
                throw ToolError.usage("'--pattern-message' is for '--pattern'")
            }
            return nil
        }
        guard arguments.has(PromptOptions.text) else {
            throw ToolError.usage(
                "'--pattern' is for '--text'", hint: "Like: hark prompt 'Which ZIP code?' --text --pattern '[0-9]{5}'")
        }
        let message = arguments[PromptOptions.patternMessage]
        return [("type", "text"), ("pattern", .string(pattern))]
            + (message.map { [("patternMessage", .string($0))] } ?? [])
    }

    /// The answer that `--default` stands for.
    func fallback(_ word: String) throws(ToolError) -> JSONValue {
        isNumber ? try Self.number(word, PromptOptions.fallback).value : .string(word)
    }

    private static func number(_ word: String, _ option: Option) throws(ToolError) -> ExactNumber {
        guard let number = ExactNumber(word) else {
            throw ToolError.usage(
                "'--\(option.name)' is a number, not '\(VisibleText.make(word))'", hint: "Like 12 or -0.5.")
        }
        return number
    }

    /// A bound of a date or a time.
    private static func bound(_ word: String, _ option: Option, of moment: Option) throws(ToolError) -> String {
        let isDate = moment.name == PromptOptions.date.name
        guard isDate ? DateBound(word) != nil : ClockTime(word) != nil else {
            throw ToolError.usage(
                "'--\(option.name)' of '--\(moment.name)' is a \(moment.name), not '\(VisibleText.make(word))'",
                hint: isDate ? "Like 2026-01-31, today, -7d or +1y." : "Like 09:30.")
        }
        return word
    }

    private static func ends(_ range: String) throws(ToolError) -> (ExactNumber, ExactNumber) {
        let parts = range.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let low = ExactNumber(parts[0]), let high = ExactNumber(parts[1]) else {
            throw ToolError.usage(
                "'--scale' takes its two ends, not '\(VisibleText.make(range))'",
                hint: "Like --scale 0..100; with --rating, it takes the best rating.")
        }
        return (low, high)
    }

    private static func label(_ word: String) throws(ToolError) -> (String, JSONValue) {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let number = ExactNumber(parts[0]) else {
            throw ToolError.usage(
                "'--label' takes a number of the scale and its words, not '\(VisibleText.make(word))'",
                hint: "Like --label 0=never.")
        }
        return (number.description, .string(String(parts[1])))
    }
}
