import HarkClient

/// The arguments of a command line, checked against the command's options.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    // No dictionary: instantiating that type at run time takes longer than a search through a few entries.
    private var given: [Given] = []

    private struct Given {
        let name: String
        /// One value, or all values of a repeatable option.
        var values: [String]
    }

    init() {}

    private func place(of option: Option) -> Int? { given.firstIndex { $0.name == option.name } }

    func has(_ option: Option) -> Bool { place(of: option) != nil }

    /// The value of an option; the last one if there are several.
    subscript(option: Option) -> String? { place(of: option).flatMap { given[$0].values.last } }

    /// Returns all values of a repeatable option.
    func all(_ option: Option) -> [String] { place(of: option).map { given[$0].values } ?? [] }

    mutating func add(operand: String) { operands.append(operand) }

    /// Replaces an argument with the name it was resolved to.
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

    /// Returns the integer value of an option; nil if it was not given.
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

    /// Whether records come without a person: because of the option, or of the environment when no user is named.
    func isUnattended(unless user: Option) -> Bool {
        if has(.unattended) { return true }
        return !has(user) && !["", "0"].contains(SocketAddress.environment("HARK_UNATTENDED") ?? "")
    }

    /// Returns the duration of an option in seconds, at least 1; nil if it was not given.
    func span(_ option: Option) throws(ToolError) -> Int64? {
        guard let text = self[option] else { return nil }
        let seconds = try DurationArgument.parse(text, name: "--\(option.name)")
        guard seconds > 0 else { throw .usage("'--\(option.name)' must be at least 1 s, not \(text)") }
        return seconds
    }

    /// Throws if more than one of these options was given.
    func atMostOne(of options: Option...) throws(ToolError) {
        let both = options.filter(has)
        guard both.count > 1 else { return }
        let names = both.map { "'--\($0.name)'" }
        throw .usage("\(names.joined(separator: " and ")) contradict each other", hint: "Give one of them.")
    }
}
