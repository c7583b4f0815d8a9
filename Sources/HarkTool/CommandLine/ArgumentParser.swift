internal import CLinux
import Glibc
import HarkWire

/// Parses a command's options with getopt_long(3).
///
/// Options may stand before and after operands, `--` ends them, and an unambiguous prefix of a name is enough. Not
/// reentrant, as getopt is not.
struct ArgumentParser {
    let command: Command

    /// Codes of long options start above those of letters.
    private static let firstCode: CInt = 1000

    /// - Parameter words: The command's name, followed by its arguments.
    func parse(_ words: [String]) throws(ToolError) -> Arguments {
        let owned = words.map { strdup($0) }
        let names = command.allOptions.map { strdup($0.name) }
        defer { for copy in owned + names { free(copy) } }
        // getopt reorders the vector; the strings themselves stay in place.
        var vector = owned + [nil]
        return try parse(&vector, table(names), count: CInt(owned.count))
    }

    private func parse(
        _ vector: inout [UnsafeMutablePointer<CChar>?], _ table: [option], count: CInt
    ) throws(ToolError) -> Arguments {
        var arguments = Arguments()
        hark_getopt_begin()
        while true {
            let code = getopt_long(count, &vector, letters, table, nil)
            if code == -1 { break }
            guard let option = option(code) else {
                let index = hark_getopt_index()
                throw problem(code, Self.text(vector, at: index - 1), Self.text(vector, at: index))
            }
            try arguments.set(option, hark_getopt_value().map { String(cString: $0) } ?? "")
        }
        for index in hark_getopt_index()..<count {
            if let operand = Self.text(vector, at: index) { arguments.add(operand: operand) }
        }
        return arguments
    }

    private func table(_ names: [UnsafeMutablePointer<CChar>?]) -> [CLinux.option] {
        var table: [CLinux.option] = []
        for (index, entry) in zip(command.allOptions, names).enumerated() {
            table.append(
                CLinux.option(
                    name: entry.1, has_arg: entry.0.value == nil ? no_argument : required_argument, flag: nil,
                    val: Self.firstCode + CInt(index)))
        }
        return table + [CLinux.option()]
    }

    /// The leading colon makes getopt tell a missing value from an unknown option.
    private var letters: String {
        command.allOptions.reduce(into: ":") { letters, option in
            guard let letter = option.letter else { return }
            letters += option.value == nil ? "\(letter)" : "\(letter):"
        }
    }

    private func option(_ code: CInt) -> Option? {
        if code >= Self.firstCode { return command.allOptions[Int(code - Self.firstCode)] }
        guard code > 0, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
        return command.allOptions.first { $0.letter == Character(scalar) }
    }

    private static func text(_ vector: [UnsafeMutablePointer<CChar>?], at index: CInt) -> String? {
        guard vector.indices.contains(Int(index)) else { return nil }
        return vector[Int(index)].map { String(cString: $0) }
    }

    /// - Parameters:
    ///   - word: The word at which getopt stopped.
    ///   - next: The word after it. Within a group of letters, this is the word at which getopt stopped.
    private func problem(_ code: CInt, _ word: String?, _ next: String?) -> ToolError {
        let word = word ?? ""
        let unknown = hark_getopt_unknown()
        if code == CInt(UInt8(ascii: ":")) {
            guard let option = option(unknown) else { return .usage("'\(word)' needs a value") }
            return .usage("'--\(option.name)' needs a value", hint: "Write --\(option.name) \(option.value ?? "").")
        }
        if let option = option(unknown) { return .usage("'--\(option.name)' takes no value") }
        guard word.hasPrefix("--") else {
            let letter = Unicode.Scalar(UInt32(unknown)).map { String(Character($0)) } ?? ""
            let words = [word, next ?? ""].filter { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains(letter) }
            return .usage("unknown option '-\(letter)'", hint: words.first.flatMap(dashHint))
        }
        let name = String(word.prefix { $0 != "=" })
        let names = command.allOptions.map { "--\($0.name)" }
        let matches = names.filter { $0.hasPrefix(name) }
        if matches.count > 1 { return .usage("'\(name)' can mean \(matches.joined(separator: " or "))") }
        let nearest = Suggestion.nearest(to: name, among: names)
        return .usage("unknown option '\(name)'", hint: nearest.map { "Did you mean '\($0)'?" } ?? dashHint(word))
    }

    /// A hint on how to pass this word as an operand, such as the answer -5 of a prompt.
    private func dashHint(_ word: String) -> String? {
        guard command.operands.upperBound > 0 else { return nil }
        return "If '\(word)' is no option, write two dashes before it: … -- \(word)"
    }
}
