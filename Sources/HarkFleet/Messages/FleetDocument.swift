package import HarkWire

/// A document of settings from a hub for machines: retained at the broker, so that a machine that was off gets it.
package struct FleetDocument: FleetMessage {
    package typealias Kind = FleetDocumentKind

    package let kind: Kind
    /// The version, as computed by `FleetDocument.version(of:)`.
    package let version: String
    package let pushedAt: Timestamp
    /// The original text with comments, or the parts of it that version 0.1.0 can read; nil: the document was withdrawn, and
    /// machines use their own again.
    package let text: String?
    /// The parts of the original that `text` lacks.
    package var held = HeldBack.none
    /// The texts for later versions that can read more, by version.
    package var texts: [Text] = []

    /// The document for machines of a version and of later ones.
    package struct Text: Sendable, Equatable {
        package let reads: DocumentVersion
        package let text: String
        package let held: HeldBack

        package init(reads: DocumentVersion, text: String, held: HeldBack) {
            self.reads = reads
            self.text = text
            self.held = held
        }
    }

    package static let mostBytes = 16 << 20
    /// The maximum number of texts of one document. Fewer versions have introduced members.
    package static let mostTexts = 64

    package init(kind: Kind, version: String, pushedAt: Timestamp, text: String?) {
        self.kind = kind
        self.version = version
        self.pushedAt = pushedAt
        self.text = text
    }

    /// Returns the text for a machine that reads documents up to a version; nil if the document was withdrawn.
    package func text(for version: DocumentVersion) -> Text? {
        if let later = texts.last(where: { $0.reads <= version }) { return later }
        return text.map { Text(reads: .first, text: $0, held: held) }
    }

    package init?(_ members: JSONObject) {
        guard let kind = members["kind"]?.stringValue.flatMap(Kind.init),
            let version = members["version"]?.stringValue, (1...FleetHello.longestVersion).contains(version.utf8.count),
            let pushedAt = members["pushedAt"]?.stringValue.flatMap({ Timestamp($0) }), let text = members["text"],
            text.isNull || text.stringValue != nil
        else { return nil }
        self.init(kind: kind, version: version, pushedAt: pushedAt, text: text.stringValue)
        guard self.text != nil else { return }
        held = HeldBack(members["held"])
        for given in (members["texts"]?.arrayValue ?? []).prefix(FleetDocument.mostTexts) {
            guard let reads = given["reads"]?.stringValue.flatMap(DocumentVersion.init),
                let text = given["text"]?.stringValue
            else { continue }
            texts.append(Text(reads: reads, text: text, held: HeldBack(given["held"])))
        }
        texts.sort { $0.reads < $1.reads }
    }

    package func write(to json: inout JSONWriter) {
        json.member("kind", kind.rawValue)
        json.member("version", version)
        json.key("pushedAt")
        json.timestamp(pushedAt)
        json.key("text")
        if let text { json.string(text) } else { json.null() }
        held.write(to: &json)
        guard !texts.isEmpty else { return }
        json.key("texts")
        json.beginArray()
        for later in texts {
            json.beginObject()
            json.member("reads", later.reads.description)
            json.member("text", later.text)
            later.held.write(to: &json)
            json.endObject()
        }
        json.endArray()
    }
}
