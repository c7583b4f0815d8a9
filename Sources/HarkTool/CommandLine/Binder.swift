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
    private(set) var operands = 0
    private var fault: ToolError?
    private var count = 0
    /// The name of the marked option, for errors.
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
            if text(of: member, request) != empty { return binder.marked }
        }
        return nil
    }

    private static func text(of member: String, _ request: some WireMethod) -> String? {
        JSONText(ArraySlice(request.json)).member(named: member)?.text
    }

    /// - Parameters:
    ///   - name: The name in the usage line.
    ///   - isNamed: Whether errors name it. One that stands alone is known by its place.
    mutating func operand(_ name: String, _ value: inout String, isNamed: Bool = false) {
        count += 1
        switch pass {
        case .declaring:
            usage += operands == 0 ? name : " " + name
            operands += 1
        case .filling(let arguments): value = arguments.operands.first ?? value
        case .marking(let number):
            guard number == count - 1 else { return }
            if isNamed { marked = name }
            value = "a"
        }
    }

    mutating func text(_ option: Option, _ value: inout String?) {
        if let text = given(option, or: "a") { value = text }
    }

    mutating func user(_ option: Option, _ value: inout UserChoice) {
        if let text = given(option, or: "a") { value = .named(text) }
    }

    /// Reads a duration in seconds.
    mutating func seconds(_ option: Option, _ value: inout Int64?) {
        read(option, or: "1s") { text throws(ToolError) in
            value = try DurationArgument.parse(text, name: "--\(option.name)")
        }
    }

    mutating func time(_ option: Option, _ value: inout Timestamp?) {
        read(option, or: "2000-01-01") { text throws(ToolError) in
            value = try TimeArgument.happened(text, option: option.name)
        }
    }

    mutating func atMostOne(of one: Option, _ other: Option) {
        guard case .filling(let arguments) = pass else { return }
        do { try arguments.atMostOne(of: one, other) } catch { fault = fault ?? error }
    }

    /// Reads a duration in milliseconds.
    ///
    /// - Parameter remedy: What to write, if the option is required.
    mutating func span(_ option: Option, _ value: inout Int64, remedy: String? = nil) {
        read(option, or: "1s", remedy) { text throws(ToolError) in
            let (milliseconds, isLonger) = try DurationArgument.parse(text, name: "--\(option.name)")
                .multipliedReportingOverflow(by: 1_000)
            value = isLonger ? .max / 1_000 * 1_000 : milliseconds
        }
    }

    mutating func condition(_ option: Option, _ value: inout AnyJSON?) {
        read(option, or: "a") { text throws(ToolError) in value = AnyJSON(text: try ConditionArgument.json(text)) }
    }

    private mutating func read(
        _ option: Option, or sample: String, _ remedy: String? = nil, _ body: (String) throws(ToolError) -> Void
    ) {
        guard let text = given(option, or: sample, remedy) else { return }
        do { try body(text) } catch { fault = fault ?? error }
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
