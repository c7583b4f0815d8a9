import HarkClient
import HarkWire

/// Warns of requests that succeeded but are odd, such as a name that nothing has, with the nearest known name. Warnings
/// go to standard error and change nothing.
struct Doubts {
    let console: Console
    /// The file that the doubt is about, if any.
    var place = ""

    /// The number of newest events whose property names are looked at.
    private static let newest: Int64 = 1_000

    /// Warns if none of the newest events has a property that a condition uses.
    ///
    /// - Parameters:
    ///   - condition: The condition as text or JSON.
    ///   - event: The name of the events, or a pattern.
    func condition(_ condition: String?, on event: String?, _ connection: inout Connection) {
        self.condition(condition.map(Self.properties) ?? [], on: event.map { [$0] } ?? [], &connection)
    }

    /// - Parameters:
    ///   - wanted: The properties that the condition uses.
    ///   - names: The names of the events, or patterns; empty for all events.
    func condition(_ wanted: [String], on names: [String], _ connection: inout Connection) {
        guard !wanted.isEmpty else { return }
        var known: Set<String> = []
        var isAny = false
        for name in names.isEmpty ? [nil] : names.map(Optional.some) {
            var request = EventList(.newest(Self.newest))
            (request.filter.name, request.members) = (name, ["properties"])
            let page = try? connection.call(request)
            for event in page?.value.events?.json.elements ?? [] {
                isAny = true
                EventInfo(event).properties.json.forEachMember { key, _ in
                    known.insert(JSONText(ArraySlice([.quote] + key + [.quote])).string ?? "")
                    return true
                }
            }
        }
        // The properties of events that have never occurred are unknown.
        guard isAny else { return }
        let which = names.isEmpty ? "" : " called \(names.map { VisibleText.value($0) }.joined(separator: ", "))"
        for name in wanted where !known.contains(name) {
            say("none of the newest events\(which) has a property '\(name)'", name, among: known)
        }
    }

    /// Warns if a counter that an execution listens to does not exist.
    ///
    /// - Parameter declared: Counters that will exist once the file is in force.
    func counters(
        _ names: [String], app: String?, declared: some Sequence<String> = [], _ connection: inout Connection
    ) {
        var known = Set(declared)
        guard (try? NameSource(kind: .counter, app: app).forEach(&connection) { known.insert($0.id) }) == true else {
            return
        }
        for name in names where !known.contains(name) { say("there is no counter '\(name)' yet", name, among: known) }
    }

    /// Warns if an event to wait for has not occurred yet, but one with a similar name has.
    func event(_ name: String, _ connection: inout Connection) {
        var known: Set<String> = []
        _ = try? NameSource(kind: .event).forEach(&connection) { known.insert($0.id) }
        guard !known.contains(name), nearest(to: name, among: known) != nil else { return }
        say("no event '\(name)' came of late", name, among: known)
    }

    /// Warns if no user with this name is known.
    func user(_ name: String, _ connection: inout Connection) {
        var question = EventStats(by: ["@user"])
        question.limit = 10_000
        let found = try? connection.call(question)
        let users = (found?.value.groups ?? []).compactMap { $0.by.json.elements.first?.string }
        say("there is nothing of a user '\(name)'", name, among: Set(users))
    }

    /// Warns if a numeric counter is about to become a text.
    func text(_ wanted: CounterSet, _ connection: inout Connection) {
        var request = CounterGet()
        (request.counter, request.app) = (wanted.counter, wanted.app)
        guard wanted.value.json.isString, let now = try? connection.call(request).value.value.json, now.double != nil
        else { return }
        let name = VisibleText.value(wanted.counter)
        console.say("hark: warning: \(name) was the number \(now.text), and becomes a text")
    }

    /// Warns of properties whose text looks like a number.
    func texts(_ names: [String]) {
        guard console.errorIsTerminal, let first = names.first else { return }
        let name = VisibleText.make(first)
        let more = names.count > 1 ? " (and \(names.count - 1) more)" : ""
        console.say("hark: warning: \(name)\(more) was recorded as text; \(name):=… records a number, true or false")
    }

    private func nearest(to name: String, among known: Set<String>) -> String? {
        Suggestion.nearest(to: name.lowercased(), among: known.sorted().map { $0.lowercased() }).flatMap { found in
            known.sorted().first { $0.lowercased() == found }
        }
    }

    private func say(_ words: String, _ name: String, among known: Set<String>) {
        let question = nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
        let place = place.isEmpty ? "hark" : place
        console.say("\(VisibleText.make(place)): warning: \(VisibleText.make(words + question))")
    }

    /// Returns the properties that a JSON condition uses: the names that have something to match.
    static func properties(_ condition: JSONValue) -> [String] {
        switch condition {
        case .string(let text): properties(text)
        case .object(let members):
            members.flatMap { member in
                let (key, value) = (member.key, member.value)
                return switch (key, value) {
                case ("all", .array(let parts)), ("any", .array(let parts)): parts.flatMap(properties)
                case ("changed", .array(let names)): names.compactMap(\.stringValue)
                case ("not", .object(let part)) where part["op"] == nil: properties(value)
                default: key.hasPrefix("@") ? [] : [key]
                }
            }
        default: []
        }
    }

    /// Returns the properties that a condition uses: the names before comparisons.
    static func properties(_ condition: String) -> [String] {
        if JSONText(condition).isObject {
            return (try? JSONDocument(Array(condition.utf8), .json).value).map { properties($0) } ?? []
        }
        var words: [String] = []
        var word = ""
        var quote: Character?
        for character in condition + " " {
            if let open = quote {
                if character == open {
                    quote = nil
                    words.append("\"")
                }
            } else if character.isLetter || character.isNumber || "_.-@$".contains(character) {
                word.append(character)
            } else {
                if !word.isEmpty { words.append(word) }
                word = ""
                if character == "\"" || character == "'" { quote = character }
                if "=!<>".contains(character) { words.append("=") }
            }
        }
        let comparisons: Set = ["=", "contains", "in", "exists"]
        var found: [String] = []
        for (place, word) in words.enumerated().dropLast() {
            let rest = words[(place + 1)...]
            let next = rest.first == "not" ? rest.dropFirst().first : rest.first
            guard let next, comparisons.contains(next.lowercased()), word.first?.isLetter == true || word.first == "_",
                !["and", "or", "not"].contains(word.lowercased()), !found.contains(word)
            else { continue }
            found.append(word)
        }
        return found
    }
}
