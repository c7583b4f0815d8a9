import HarkClient

/// What was given on the command line, checked against the command's options.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    // No dictionary: for the runtime to make that type takes longer than to look through the few there are.
    private var given: [Given] = []

    private struct Given {
        let name: String
        /// One, or all that were given of an option that may be given more than once.
        var values: [String]
    }

    init() {}

    private func place(of option: Option) -> Int? { given.firstIndex { $0.name == option.name } }

    func has(_ option: Option) -> Bool { place(of: option) != nil }

    /// The value of an option, the last one if there are several.
    subscript(option: Option) -> String? { place(of: option).flatMap { given[$0].values.last } }

    /// All values of an option that may be given more than once.
    func all(_ option: Option) -> [String] { place(of: option).map { given[$0].values } ?? [] }

    mutating func add(operand: String) { operands.append(operand) }

    /// Puts what is meant in the place of what was given.
    mutating func replace(_ place: NamedPlace, with text: String) {
        switch place {
        case .operand:
            if !operands.isEmpty { operands[0] = text }
        case .option(let option):
            if let place = self.place(of: option) { given[place].values = [text] }
        }
    }

    mutating func set(_ option: Option, _ value: String) throws(ToolError) {
        guard let place = place(of: option) else { return given.append(Given(name: option.name, values: [value])) }
        guard option.repeats else { throw .usage("'--\(option.name)' is given twice") }
        given[place].values.append(value)
    }

    /// The whole number of an option that was given.
    func integer(_ option: Option, in range: ClosedRange<Int64>) throws(ToolError) -> Int64? {
        guard let text = self[option] else { return nil }
        guard let number = Int64(text) else {
            throw .usage("'--\(option.name)' takes a whole number, not '\(text)'")
        }
        guard range.contains(number) else {
            let bound = number < range.lowerBound ? "at least \(range.lowerBound)" : "at most \(range.upperBound)"
            throw .usage("'--\(option.name)' must be \(bound), not \(number)")
        }
        return number
    }

    /// Whether what is recorded comes without a person: it says so, or the environment does and no user is named.
    func isUnattended(unless user: Option) -> Bool {
        if has(.unattended) { return true }
        return !has(user) && !["", "0"].contains(SocketAddress.environment("HARK_UNATTENDED") ?? "")
    }

    /// The span of time of an option that was given, in seconds; at least one.
    func span(_ option: Option) throws(ToolError) -> Int64? {
        guard let text = self[option] else { return nil }
        let seconds = try DurationArgument.parse(text, name: "--\(option.name)")
        guard seconds > 0 else { throw .usage("'--\(option.name)' must be at least 1 s, not \(text)") }
        return seconds
    }

    /// Refuses options that contradict each other.
    func atMostOne(of options: Option...) throws(ToolError) {
        let both = options.filter(has)
        guard both.count > 1 else { return }
        let names = both.map { "'--\($0.name)'" }
        throw .usage("\(names.joined(separator: " and ")) contradict each other", hint: "Give one of them.")
    }
}
