/// What was given on the command line, checked against the command's options.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    private var given: [String: String] = [:]
    /// The values of options that may be given more than once.
    private var repeated: [String: [String]] = [:]

    init() {}

    func has(_ option: Option) -> Bool { given[option.name] != nil }

    subscript(option: Option) -> String? { given[option.name] }

    /// All values of an option that may be given more than once.
    func all(_ option: Option) -> [String] { repeated[option.name] ?? [] }

    mutating func add(operand: String) { operands.append(operand) }

    /// Puts what is meant in the place of what was given.
    mutating func replace(_ place: NamedPlace, with text: String) {
        switch place {
        case .operand:
            if !operands.isEmpty { operands[0] = text }
        case .option(let option):
            if given[option.name] != nil { given[option.name] = text }
        }
    }

    mutating func set(_ option: Option, _ value: String) throws(ToolError) {
        if option.repeats { repeated[option.name, default: []].append(value) }
        guard given.updateValue(value, forKey: option.name) == nil || option.repeats else {
            throw .usage("'--\(option.name)' is given twice")
        }
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

    /// Refuses options that contradict each other.
    func atMostOne(of options: Option...) throws(ToolError) {
        let both = options.filter(has)
        guard both.count > 1 else { return }
        let names = both.map { "'--\($0.name)'" }
        throw .usage("\(names.joined(separator: " and ")) contradict each other", hint: "Give one of them.")
    }
}
