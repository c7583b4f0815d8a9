package import HarkCore
package import HarkWire

/// The body for a server with its own format, such as a chat message: a text, or JSON whose strings contain
/// placeholders like `{event.name}`.
///
/// A placeholder is the path to a member of the record as an `http` destination gets it. It is replaced by text, which
/// the JSON writer encodes. A missing member is empty.
package struct MessageTemplate: Sendable, Equatable {
    package let document: JSONValue

    package static let longestDocument = 16_384
    static let mostPlaces = 100
    /// The limits of chats: Discord 2,000 characters, ntfy 4,096 bytes. No character counts for less in UTF-16.
    static let (longestValue, longestText, mostBytes) = (1_000, 2_000, 4_000)

    init(_ document: JSONValue) { self.document = document }

    /// Reads a template, and reports its faults.
    package init?(_ document: JSONValue, path: String, issues: IssueCollector) {
        self.init(document)
        let before = issues.issues.errors.count
        switch document {
        case .string, .object, .array: break
        case .null, .bool, .int, .double:
            issues.error(path, "must be a text, or JSON with texts in it")
            return nil
        }
        if document.description.utf8.count > MessageTemplate.longestDocument {
            issues.error(path, "must be at most \(MessageTemplate.longestDocument) bytes of JSON")
            return nil
        }
        var places = 0
        MessageTemplate.check(document, path, issues, &places)
        if places == 0 { issues.error(path, "has no place to be filled, like {summary} or {event.name}") }
        if places > MessageTemplate.mostPlaces {
            issues.error(path, "must have at most \(MessageTemplate.mostPlaces) places to be filled")
        }
        guard issues.issues.errors.count == before else { return nil }
    }

    /// Whether it is a text and not JSON.
    var isText: Bool { document.stringValue != nil }

    /// The body for a record.
    ///
    /// - Parameter escape: Applied to the values of placeholders.
    func body(of record: Record, host: String, escape: (String) -> String) -> [UInt8] {
        let values = TemplateValues(record, host: host)
        func fill(_ text: String) -> String {
            // Reading the template has checked it.
            let parts = (try? MessageTemplate.parts(of: text)) ?? []
            let filled = parts.map { part in
                switch part {
                case .text(let text): text
                case .place(let name):
                    escape(MessageTemplate.cut(values.text(name), to: MessageTemplate.longestValue))
                }
            }
            return MessageTemplate.cut(filled.joined(), to: MessageTemplate.longestText)
        }
        if case .string(let text) = document { return Array(fill(text).utf8) }
        var json = JSONWriter()
        MessageTemplate.write(document, to: &json, fill)
        return json.bytes
    }

    private static func write(_ value: JSONValue, to json: inout JSONWriter, _ fill: (String) -> String) {
        switch value {
        case .string(let text): json.string(fill(text))
        case .array(let elements):
            json.beginArray()
            for element in elements { write(element, to: &json, fill) }
            json.endArray()
        case .object(let object):
            json.beginObject()
            for member in object {
                json.key(member.key)
                write(member.value, to: &json, fill)
            }
            json.endObject()
        case .null, .bool, .int, .double: json.value(value)
        }
    }

    /// Cuts a text that is too long, and appends `…`.
    static func cut(_ text: String, to most: Int) -> String {
        guard text.utf16.count > most || text.utf8.count > mostBytes else { return text }
        var kept = String.UnicodeScalarView()
        var (units, bytes) = (1, 3)
        for scalar in text.unicodeScalars {
            units += UTF16.width(scalar)
            bytes += UTF8.width(scalar)
            if units > most || bytes > mostBytes { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    // MARK: Placeholders

    enum Part: Equatable {
        case text(String)
        case place(String)
    }

    struct Fault: Error, Equatable {
        let message: String
    }

    /// Parses a text into literals and placeholders; `{{` and `}}` are literal braces.
    static func parts(of text: String) throws(Fault) -> [Part] {
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        var (parts, plain): ([Part], [UInt8]) = ([], [])
        var rest = Array(text.utf8)[...]
        func isDoubled(_ byte: UInt8) -> Bool { (byte == open || byte == close) && rest.first == byte }
        while let byte = rest.popFirst() {
            if isDoubled(byte) {
                rest = rest.dropFirst()
                plain.append(byte)
            } else if byte == open {
                guard let end = rest.firstIndex(of: close) else {
                    throw Fault(message: "has a { without a }; write {{ where a brace is meant")
                }
                let name = String(decoding: rest[..<end], as: UTF8.self)
                if let advice = TemplateValues.doubt(of: name) { throw Fault(message: advice) }
                if !plain.isEmpty { parts.append(.text(String(decoding: plain, as: UTF8.self))) }
                plain = []
                parts.append(.place(name))
                rest = rest[(end + 1)...]
            } else {
                plain.append(byte)
            }
        }
        if !plain.isEmpty { parts.append(.text(String(decoding: plain, as: UTF8.self))) }
        return parts
    }

    private static func check(_ value: JSONValue, _ path: String, _ issues: IssueCollector, _ places: inout Int) {
        switch value {
        case .string(let text):
            do throws(Fault) {
                places += try parts(of: text).count { if case .place = $0 { true } else { false } }
            } catch {
                // Counted, so that the fault alone is reported and not the lack of placeholders too.
                places += 1
                issues.error(path, error.message)
            }
        case .array(let elements):
            for (number, element) in elements.enumerated() { check(element, "\(path)[\(number)]", issues, &places) }
        case .object(let object):
            for member in object { check(member.value, path + JSONPath.step(to: member.key), issues, &places) }
        case .null, .bool, .int, .double: break
        }
    }
}
