import HarkClient
import HarkWire

/// Binds options and operands of a command line to members of a request. Each is declared once, with the member it
/// fills.
///
/// The binding is a closure rather than a table: instantiating the types of a table's rows at run time would take as
/// long as the rest of a command.
struct Binder {
    private enum Pass {
        case declaring
        case filling(Arguments)
        /// Fills only the option or operand with that number, with a sample value.
        case marking(Int)
    }

    private let pass: Pass
    private(set) var options: [Option] = []
    private(set) var usage = ""
    private(set) var operands = 0...0
    private var fault: ToolError?
    private var count = 0
    /// The name of the marked option or operand, for errors.
    private var marked: String?

    private init(_ pass: Pass) { self.pass = pass }

    /// Returns the options and operands of a command whose request is bound by `bind`.
    static func declared<Request: WireMethod>(_ bind: (inout Binder, inout Request) -> Void) -> Binder {
        var (binder, request) = (Binder(.declaring), Request())
        bind(&binder, &request)
        return binder
    }

    static func fill<Request: WireMethod>(
        _ request: inout Request, _ arguments: Arguments, _ bind: (inout Binder, inout Request) -> Void
    ) throws(ToolError) {
        var binder = Binder(.filling(arguments))
        bind(&binder, &request)
        if let fault = binder.fault { throw fault }
    }

    /// Returns the option that fills a member of the request. It fills one option after the other and compares the
    /// request.
    static func label<Request: WireMethod>(
        of member: String, _ bind: (inout Binder, inout Request) -> Void
    ) -> String? {
        let empty = text(of: member, Request())
        for number in 0... {
            var (binder, request) = (Binder(.marking(number)), Request())
            bind(&binder, &request)
            if number >= binder.count { return nil }
            guard text(of: member, request) != empty else { continue }
            // An operand is known by its place, unless its name is the member's.
            return binder.marked.flatMap { $0.hasPrefix("--") ? $0 : ProtocolWords.operand(of: member, in: [$0]) }
        }
        return nil
    }

    private static func text(of member: String, _ request: some WireMethod) -> String? {
        JSONText(ArraySlice(request.json)).member(named: member)?.text
    }

    /// - Parameter name: The name in the usage line.
    mutating func operand(_ name: String, _ value: inout String) {
        operand(name) { text in value = text }
    }

    mutating func operand(_ name: String, _ value: inout String?) {
        operand(name, isOptional: true) { text in value = text }
    }

    /// - Parameter body: Takes the operand, if it is there.
    mutating func operand(
        _ name: String, isOptional: Bool = false, or sample: String = "a", _ body: (String) throws(ToolError) -> Void
    ) {
        count += 1
        let place = operands.upperBound
        operands = (isOptional ? operands.lowerBound : place + 1)...(place + 1)
        switch pass {
        case .declaring: usage += usage.isEmpty ? name : " " + name
        case .filling(let arguments):
            guard place < arguments.operands.count else { return }
            attempt { () throws(ToolError) in try body(arguments.operands[place]) }
        case .marking(let number):
            guard number == count - 1 else { return }
            marked = name
            try? body(sample)
        }
    }

    /// Takes all operands behind the others, if there are any.
    mutating func operands(_ name: String, _ body: ([String]) throws(ToolError) -> Void) {
        count += 1
        let place = operands.upperBound
        operands = operands.lowerBound...Int.max
        switch pass {
        case .declaring: usage += usage.isEmpty ? name : " " + name
        case .filling(let arguments):
            let words = Array(arguments.operands.dropFirst(place))
            if !words.isEmpty { attempt { () throws(ToolError) in try body(words) } }
        case .marking(let number):
            guard number == count - 1 else { return }
            marked = name
            try? body(["1"])
        }
    }

    mutating func integer(_ option: Option, in range: ClosedRange<Int64>, _ value: inout Int64?) {
        guard given(option, or: "1") != nil else { return }
        if case .filling(let arguments) = pass {
            attempt { () throws(ToolError) in value = try arguments.integer(option, in: range) }
        } else {
            value = range.lowerBound
        }
    }

    mutating func flag(_ option: Option, _ value: inout Bool?) {
        if given(option, or: "") != nil { value = true }
    }

    mutating func text(_ option: Option, _ value: inout String?) {
        if let text = given(option, or: "a") { value = text }
    }

    mutating func user(_ option: Option, _ value: inout UserChoice) {
        if let text = given(option, or: "a") { value = .named(text) }
    }

    /// Reads a duration in seconds.
    mutating func seconds(_ option: Option, _ value: inout Int64?) {
        guard given(option, or: "1s") != nil else { return }
        if case .filling(let arguments) = pass {
            attempt { () throws(ToolError) in value = try arguments.span(option) }
        } else {
            value = 1
        }
    }

    mutating func time(_ option: Option, _ value: inout Timestamp?) {
        read(option, or: "2000-01-01") { text throws(ToolError) in
            value = try TimeArgument.happened(text, option: option.name)
        }
    }

    mutating func atMostOne(of one: Option, _ other: Option) {
        guard case .filling(let arguments) = pass else { return }
        attempt { () throws(ToolError) in try arguments.atMostOne(of: one, other) }
    }

    /// Reads a duration in milliseconds.
    ///
    /// - Parameter remedy: What to write, if the option is required.
    mutating func span(_ option: Option, _ value: inout Int64, remedy: String? = nil) {
        read(option, or: "1s", remedy) { text throws(ToolError) in
            value = try Binder.milliseconds(text, option)
        }
    }

    private static func milliseconds(_ text: String, _ option: Option) throws(ToolError) -> Int64 {
        let (milliseconds, isLonger) = try DurationArgument.parse(text, name: "--\(option.name)")
            .multipliedReportingOverflow(by: 1_000)
        return isLonger ? .max / 1_000 * 1_000 : milliseconds
    }

    /// Reads a duration in milliseconds; `off` is null.
    mutating func spanOrOff(_ option: Option, _ value: inout Int64??) {
        read(option, or: "1s") { text throws(ToolError) in
            value = text == "off" ? .some(nil) : try Binder.milliseconds(text, option)
        }
    }

    mutating func condition(_ option: Option, _ value: inout AnyJSON?) {
        read(option, or: "a") { text throws(ToolError) in value = AnyJSON(text: try ConditionArgument.json(text)) }
    }

    private mutating func read(
        _ option: Option, or sample: String, _ remedy: String? = nil, _ body: (String) throws(ToolError) -> Void
    ) {
        guard let text = given(option, or: sample, remedy) else { return }
        attempt { () throws(ToolError) in try body(text) }
    }

    private mutating func attempt(_ body: () throws(ToolError) -> Void) {
        do { try body() } catch { fault = fault ?? error }
    }

    private mutating func given(_ option: Option, or sample: String, _ remedy: String? = nil) -> String? {
        count += 1
        switch pass {
        case .declaring: options.append(option)
        case .filling(let arguments):
            if let text = arguments[option] { return text }
            if let remedy { fault = fault ?? .usage("'--\(option.name)' is missing", hint: remedy) }
        case .marking(let number):
            guard number == count - 1 else { return nil }
            marked = "--\(option.name)"
            return sample
        }
        return nil
    }
}
