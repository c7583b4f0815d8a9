/// A field by which the results of a survey are grouped.
///
/// A property is given by its name, as in statistics of events. Fields of every showing have fixed words. A property
/// named like one of those takes the prefix `property.`, and one whose name begins with `@` may take another `@`
/// instead.
package enum ResultField: Hashable, Sendable {
    /// The requested language.
    case locale
    case surface
    /// The machine's time zone.
    case zone
    /// The wording, where the survey has variants.
    case variant
    case app
    /// Its machine and that machine's group, on a hub.
    case machine, group
    /// A property of the event that caused the showing.
    case property(String)

    private static let known: [(word: String, field: ResultField)] = [
        ("locale", .locale), ("surface", .surface), ("zone", .zone), ("variant", .variant), ("@app", .app),
        ("@machine", .machine), ("@group", .group),
    ]
    package static let words = known.map(\.word)
    private static let prefix = "property."

    /// - Returns: Nil for an unknown name.
    package init?(_ text: String) {
        if let known = Self.known.first(where: { $0.word == text }) {
            self = known.field
            return
        }
        let marks = text.utf8.prefix { $0 == UInt8(ascii: "@") }.count
        let isPrefixed = text.utf8.starts(with: Self.prefix.utf8)
        let name = text.utf8.dropFirst(isPrefixed ? Self.prefix.utf8.count : min(marks, 1))
        guard marks != 1, !name.isEmpty else { return nil }
        self = .property(String(decoding: name, as: UTF8.self))
    }

    /// Returns a clause that says what is wrong with an unknown name.
    fileprivate static func fault(_ text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "@") else { return nil }
        let shown = text.prefix(40)
        let question = Suggestion.question(for: text, among: words)
        return "no showing has '\(shown)'" + (question.isEmpty ? "." : question)
            + " A property whose name begins with @ is written '@\(shown)'"
    }
}

extension MemberType<String> {
    package static var resultField: MemberType {
        MemberType(
            "the name of a property, or one of \(ResultField.words.joined(separator: ", "))", .string,
            fault: { $0.stringValue.flatMap(ResultField.fault) },
            { $0.stringValue.flatMap { ResultField($0) == nil ? nil : $0 } })
    }
}
