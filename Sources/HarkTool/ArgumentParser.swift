// getopt's variables are C globals; `hark` parses once, on its only thread.
@preconcurrency import Glibc

/// Parses a command's options with getopt_long(3).
///
/// Options may stand before and after operands, `--` ends them, and an unambiguous beginning of a name will do.
/// Not reentrant, as getopt is not.
struct ArgumentParser {
    let command: Command

    /// - Parameter words: the command's name, then what follows it.
    func parse(_ words: [String]) throws(ToolError) -> Arguments {
        var vector: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let owned = vector
        defer { owned.forEach { free($0) } }
        return try parse(&vector)
    }

    private func parse(_ vector: inout [UnsafeMutablePointer<CChar>?]) throws(ToolError) -> Arguments {
        let options = command.allOptions
        let names = options.map { strdup($0.name) }
        defer { names.forEach { free($0) } }
        var table = zip(options, names).enumerated().map { index, entry in
            option(
                name: UnsafePointer(entry.1), has_arg: entry.0.value == nil ? no_argument : required_argument,
                flag: nil, val: Self.firstCode + CInt(index))
        }
        table.append(option())
        let letters = options.reduce(into: ":") { letters, option in
            guard let letter = option.letter else { return }
            letters += option.value == nil ? "\(letter)" : "\(letter):"
        }

        var arguments = Arguments()
        let count = CInt(vector.count - 1)
        optind = 0
        opterr = 0
        while true {
            let word = Int(max(optind, 1))
            let code = getopt_long(count, &vector, letters, table, nil)
            if code == -1 { break }
            guard let option = Self.option(code, options) else {
                throw problem(code, options, near: Self.text(vector, at: word), previous: Self.text(vector, at: optind - 1))
            }
            try arguments.set(option, optarg.map { String(cString: $0) } ?? "")
        }
        for index in Int(optind)..<Int(count) {
            guard let operand = Self.text(vector, at: CInt(index)) else { continue }
            arguments.add(operand: operand)
        }
        return arguments
    }

    /// Codes of long options begin above those of letters.
    private static let firstCode: CInt = 1000

    private static func option(_ code: CInt, _ options: [Option]) -> Option? {
        if code >= firstCode { return options[Int(code - firstCode)] }
        guard code > 0, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
        return options.first { $0.letter == Character(scalar) }
    }

    private static func text(_ vector: [UnsafeMutablePointer<CChar>?], at index: some BinaryInteger) -> String? {
        guard vector.indices.contains(Int(index)), let word = vector[Int(index)] else { return nil }
        return String(cString: word)
    }

    private func problem(_ code: CInt, _ options: [Option], near word: String?, previous: String?) -> ToolError {
        if code == CInt(UInt8(ascii: ":")) {
            let option = Self.option(optopt, options)
            let name = option.map { "--\($0.name)" } ?? previous ?? "the option"
            return .usage("'\(name)' needs a value", hint: option?.value.map { "Write \(name) \($0)." })
        }
        if optopt >= Self.firstCode, let option = Self.option(optopt, options) {
            return .usage("'--\(option.name)' takes no value")
        }
        if optopt > 0, optopt < Self.firstCode, let letter = Unicode.Scalar(UInt32(optopt)) {
            return .usage("unknown option '-\(letter)'", hint: nil)
        }
        let name = String((previous ?? word ?? "").prefix { $0 != "=" })
        let matches = options.map { "--\($0.name)" }.filter { $0.hasPrefix(name) }
        if matches.count > 1 {
            return .usage("'\(name)' can mean \(matches.joined(separator: " or "))")
        }
        let nearest = Suggestion.nearest(to: name, among: options.map { "--\($0.name)" })
        return .usage("unknown option '\(name)'", hint: nearest.map { "Did you mean '\($0)'?" })
    }
}
