internal import HarkCore
internal import HarkWire

/// The values of placeholders for one record.
struct TemplateValues {
    private let record: Record
    private let host: String
    private let item: JSONValue

    init(_ record: Record, host: String) {
        self.record = record
        self.host = record.session.machine?.name ?? host
        var json = JSONWriter()
        RecordJSON.write(record, to: &json)
        item = (try? JSONDocument(json.bytes, .json).value) ?? .null
    }

    /// The value of a placeholder; empty if the record has none.
    func text(_ place: String) -> String {
        switch place {
        case "host": return host
        case "summary": return summary
        default:
            var (value, rest): (JSONValue?, Substring) = (item, place[...])
            while !rest.isEmpty, let members = value?.objectValue {
                // The name of a property may contain dots.
                if let whole = members[String(rest)] {
                    (value, rest) = (whole, "")
                } else {
                    let step = rest.prefix { $0 != "." }
                    value = step.endIndex < rest.endIndex ? members[String(step)] : nil
                    rest = rest[step.endIndex...].dropFirst()
                }
            }
            return rest.isEmpty ? TemplateValues.text(of: value) : ""
        }
    }

    /// A one-line summary of any record.
    private var summary: String {
        let word = RecordJSON.word(for: record.kind)
        let (what, properties): (String, JSONValue?) =
            if let log = item["log"] {
                (
                    TemplateValues.text(of: log["level"]) + ": " + TemplateValues.text(of: log["message"]),
                    log["metadata"]
                )
            } else if record.kind == .event {
                (record.name, item["event"]?["properties"])
            } else {
                (record.name.isEmpty ? word : "\(word) \(record.name)", item[word]?["properties"])
            }
        let rest = TemplateValues.text(of: properties)
        return "\(host): \(what)" + (rest.isEmpty ? "" : " \(rest)")
    }

    private static func text(of value: JSONValue?) -> String {
        switch value {
        case nil, .null: ""
        case .string(let text): text
        case .object(let members): members.map { "\($0.key)=\(text(of: $0.value))" }.joined(separator: " ")
        case let value?: value.description
        }
    }

    // MARK: Names

    /// Why a placeholder is invalid; nil if it is valid.
    static func doubt(of place: String) -> String? {
        if names.contains(place) || open.contains(where: { place.hasPrefix($0) && place != $0 }) { return nil }
        let advice = Suggestion.nearest(to: place, among: names).map { "; did you mean {\($0)}?" }
        return "has the place {\(place)}, which does not exist"
            + (advice
                ?? "; there are {summary}, {event.name}, {event.properties.NAME}, and more in docs/reference/destinations.md")
    }

    private static let (names, open): ([String], [String]) = {
        var (names, open): ([String], [String]) = (["summary", "host", "kind", "app"], [])
        func add(_ shape: Shape, _ way: String) {
            switch shape {
            case .named(_, let shape), .orNull(let shape): add(shape, way)
            case .members(let members): for member in members { add(member.type, "\(way).\(member.name)") }
            case .map:
                names.append(way)
                open.append(way + ".")
            default: names.append(way)
            }
        }
        add(EventInfo.shape, "event")
        add(LogEntryInfo.shape, "log")
        add(SessionInfo.shape, "session")
        for kind in ["form", "profile"] {
            for name in ["id", "seq", "timestamp", "sessionId", "userId", "name"] { names.append("\(kind).\(name)") }
            add(.properties, "\(kind).properties")
        }
        return (names, open)
    }()
}
