package import HarkWire

/// A document of settings from a hub for machines: retained at the broker, so that a machine that was off gets it.
package struct FleetDocument: FleetMessage {
    package typealias Kind = FleetDocumentKind

    package let kind: Kind
    /// The version, as computed by `FleetDocument.version(of:)`.
    package let version: String
    package let pushedAt: Timestamp
    /// The original text with comments; nil: the document was withdrawn, and machines use their own again.
    package let text: String?

    package static let mostBytes = 16 << 20

    package init(kind: Kind, version: String, pushedAt: Timestamp, text: String?) {
        self.kind = kind
        self.version = version
        self.pushedAt = pushedAt
        self.text = text
    }

    package init?(_ members: JSONObject) {
        guard let kind = members["kind"]?.stringValue.flatMap(Kind.init),
            let version = members["version"]?.stringValue, (1...FleetHello.longestVersion).contains(version.utf8.count),
            let pushedAt = members["pushedAt"]?.stringValue.flatMap({ Timestamp($0) }), let text = members["text"],
            text.isNull || text.stringValue != nil
        else { return nil }
        self.init(kind: kind, version: version, pushedAt: pushedAt, text: text.stringValue)
    }

    package func write(to json: inout JSONWriter) {
        json.member("kind", kind.rawValue)
        json.member("version", version)
        json.key("pushedAt")
        json.timestamp(pushedAt)
        json.key("text")
        if let text { json.string(text) } else { json.null() }
    }
}
