internal import HarkWire

/// The server's own text of a refusal: the message in its JSON, or its text.
///
/// It may repeat the request. So it is kept in dead letters only, which belong to the records in question.
enum ServerWords {
    private static let longest = 200
    /// Longer answers are pages for people, and explain nothing.
    private static let longestAnswer = 1 << 13
    private static let names = [
        "message", "errorMessage", "errorDescription", "detail", "description", "title", "error",
    ]

    static func of(_ response: HTTPResponse, _ parse: ([UInt8]) -> JSONValue?) -> String? {
        guard !response.body.isEmpty, response.body.count <= longestAnswer else { return nil }
        let text =
            parse(response.body).flatMap(message) ?? String(validating: response.body, as: UTF8.self).map(withoutTags)
        return text.flatMap { $0.allSatisfy { $0 == " " || $0.isNewline } ? nil : $0 }
    }

    /// Formats the text on one line, without the keys of the request, and cuts it last, because half a key is too much.
    static func told(_ words: String, without secrets: [String]) -> String {
        var words = words
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where secret.utf8.count > 3 {
            words.replace(secret, with: "…")
        }
        let parts = words.unicodeScalars.split { $0.value <= 0x20 || (0x7f...0x9f).contains($0.value) }
        let line = parts.map { String($0) }.joined(separator: " ")
        return String(line.prefix(longest))
    }

    private static func message(_ body: JSONValue) -> String? {
        for place in [body, body["error"], body["errors"]?[0]] {
            guard let place else { continue }
            if let text = place.stringValue { return text }
            for name in names { if let text = place.field(name)?.stringValue { return text } }
        }
        return nil
    }

    /// The text of an HTML page.
    private static func withoutTags(_ text: String) -> String {
        guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return text }
        var (shown, isTag): ([UInt8], Bool) = ([], false)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "<") { isTag = true }
            if !isTag { shown.append(byte) }
            if byte == UInt8(ascii: ">"), isTag {
                isTag = false
                shown.append(0x20)
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
