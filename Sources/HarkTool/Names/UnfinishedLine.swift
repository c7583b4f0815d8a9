/// A command line whose last word is being typed.
struct UnfinishedLine {
    private(set) var command = CommandTable.hark
    /// The app named in the line, if any.
    private(set) var app: String?
    private var operands: [String] = []
    private var given: [Option] = []
    /// The option whose value is the next word.
    private var open: Option?
    /// Whether only operands may follow, after `--`.
    private var isPastOptions = false
    /// The word being typed.
    let typed: String

    /// - Parameter words: The words after `hark`.
    init?(_ words: [String]) {
        guard let typed = words.last else { return nil }
        self.typed = typed
        for word in words.dropLast() { take(word) }
    }

    private mutating func take(_ word: String) {
        if let option = open {
            take(word, as: option)
        } else if !isPastOptions, word == "--" {
            isPastOptions = true
        } else if !isPastOptions, word.hasPrefix("-"), word != "-" {
            let (options, value) = self.options(in: word)
            given += options
            guard let option = options.last, option.value != nil else { return }
            if let value { take(String(word[value...]), as: option) } else { open = option }
        } else if operands.isEmpty, !isPastOptions, let member = command.member(word) {
            command = member
        } else {
            operands.append(word)
        }
    }

    private mutating func take(_ value: String, as option: Option) {
        if option.name == Option.app.name { app = value }
        open = nil
    }

    /// Returns the options that a word with dashes gives, and where in it the value of the last one begins. The result
    /// is empty if one is unknown.
    private func options(in word: String) -> (options: [Option], value: String.Index?) {
        if word.hasPrefix("--") {
            let name = word.dropFirst(2).prefix { $0 != "=" }
            let options = command.allOptions.filter { $0.name == name }
            return (options, name.endIndex == word.endIndex ? nil : word.index(after: name.endIndex))
        }
        var options: [Option] = []
        for index in word.indices.dropFirst() {
            guard let option = command.allOptions.first(where: { $0.letter == word[index] }) else { return ([], nil) }
            options.append(option)
            guard option.value == nil else {
                let next = word.index(after: index)
                return (options, next == word.endIndex ? nil : next)
            }
        }
        return (options, nil)
    }

    private var isOption: Bool { open == nil && !isPastOptions && typed.hasPrefix("-") }

    /// The possible values of the last word, unless that is a command or an option, the part of the typed word before
    /// it, such as `--level=`, and the option's summary if it is the value of one.
    var values: (values: Option.Values, before: Substring, summary: String?) {
        if let open { return (open.values, "", open.summary) }
        if isOption {
            let (options, value) = self.options(in: typed)
            guard let option = options.last, option.value != nil, let value else { return (.any, "", nil) }
            return (option.values, typed[..<value], option.summary)
        }
        switch command.completes {
        case .names where !operands.isEmpty: return (.any, "", nil)
        case .program where !isPastOptions: return (.any, "", nil)
        case let values: return (operands.count < command.operands.upperBound ? values : .any, "", nil)
        }
    }

    /// The commands and options that may stand in the last place, with their summaries. Options are among them only if
    /// one is begun, or if nothing else can follow.
    var words: [(word: String, summary: String)] {
        if isOption { return optionWords }
        guard open == nil else { return [] }
        if case .commands = command.completes {
            let named = operands.reduce(CommandTable.hark as Command?) { $0?.member($1) }
            return named.map { Self.words($0.commands) } ?? []
        }
        guard command.members.isEmpty else {
            return operands.isEmpty && !isPastOptions ? Self.words(command.commands) : []
        }
        let isFull = operands.count >= command.operands.upperBound
        return isFull && typed.isEmpty && !isPastOptions ? optionWords : []
    }

    private static func words(_ commands: [Command]) -> [(word: String, summary: String)] {
        commands.map { ($0.name, $0.summary) }
    }

    /// The options not given yet, in both forms. A group of letters is continued.
    private var optionWords: [(word: String, summary: String)] {
        let (typedOptions, value) = options(in: typed)
        let isGroup = typed.count > 1 && !typed.hasPrefix("--")
        guard value == nil, !isGroup || !typedOptions.isEmpty else { return [] }
        let known = isGroup ? given + typedOptions : given
        let left = command.allOptions.filter { option in
            option.repeats || !known.contains { $0.name == option.name }
        }
        if isGroup, let last = typedOptions.last {
            let more = last.value == nil ? left : []
            let longer = more.compactMap { option in option.letter.map { ("\(typed)\($0)", option.summary) } }
            return [(typed, last.summary)] + longer
        }
        return left.flatMap { option in
            (option.letter.map { [("-\($0)", option.summary)] } ?? []) + [("--\(option.name)", option.summary)]
        }
    }
}
