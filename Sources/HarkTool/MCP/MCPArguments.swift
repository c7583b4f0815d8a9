import HarkWire

/// The arguments that a model gave a tool. Errors are worded so that the model can correct them.
struct MCPArguments {
    /// An invalid argument, described in one sentence.
    struct Fault: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }

    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// Refuses unknown arguments, because a model that made up a name should learn of it.
    func check(known names: [String]) throws(Fault) {
        for name in members.keys where !names.contains(name) {
            let meant = Suggestion.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? "."
            throw Fault(
                "there is no argument '\(MCPNote.name(name))'\(meant) There are: "
                    + names.joined(separator: ", ") + ".")
        }
    }

    /// Returns an argument that is given and not null.
    func value(_ name: String) -> JSONValue? {
        // A literal nil would become a JSON null.
        guard let value = members[name], !value.isNull else { return Optional.none }
        return value
    }

    func text(_ name: String, atMost bytes: Int = MCPLimits.wordBytes) throws(Fault) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw Fault("'\(name)' is a text") }
        guard text.utf8.count <= bytes else {
            throw Fault("'\(name)' has \(text.utf8.count) bytes, and at most \(bytes) are taken; make it shorter")
        }
        guard !text.utf8.contains(0) else { throw Fault("'\(name)' has a NUL character in it") }
        return text
    }

    func required(_ name: String, atMost bytes: Int = MCPLimits.wordBytes) throws(Fault) -> String {
        guard let text = try text(name, atMost: bytes) else { throw Fault("'\(name)' is missing") }
        guard !text.isEmpty else { throw Fault("'\(name)' is empty") }
        return text
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Fault) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.exactInteger else { throw Fault("'\(name)' is a whole number") }
        guard range.contains(number) else {
            throw Fault("'\(name)' is \(number), and has to be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(_ name: String) throws(Fault) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = value.doubleValue, number.isFinite else { throw Fault("'\(name)' is a number") }
        return number
    }

    func flag(_ name: String) throws(Fault) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.boolValue else { throw Fault("'\(name)' is true or false") }
        return flag
    }

    /// - Parameter most: The maximum number of texts.
    func texts(_ name: String, atMost most: Int) throws(Fault) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let elements = value.arrayValue else { throw Fault("'\(name)' is a list of texts") }
        guard elements.count <= most else {
            throw Fault("'\(name)' has \(elements.count) entries, and at most \(most) are taken")
        }
        let texts = elements.compactMap(\.stringValue)
        guard texts.count == elements.count else { throw Fault("'\(name)' is a list of texts only") }
        return texts
    }

    func object(_ name: String) throws(Fault) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else { throw Fault("'\(name)' is an object") }
        return object
    }
}
